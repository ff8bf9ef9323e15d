#version 100
precision highp float;
varying highp vec3 place;
varying mediump vec3 outward;
varying mediump vec4 tint;

uniform vec3 eye;
uniform vec3 sky;

// Direction to the sun.
const vec3 SUN = vec3(0.40, 0.82, 0.41);

void main() {
    vec3 n = normalize(outward);
    vec3 look = place - eye;
    float away = length(look);
    // Both sides of a thin surface are lit.
    n = dot(n, look) > 0.0 ? -n : n;
    vec3 base = tint.rgb;
    if (tint.a > 0.5 && abs(n.y) > 0.5) {
        float tile = mod(floor(place.x) + floor(place.z), 2.0);
        base *= 1.0 + 0.10 * (tile - 0.5) * (1.0 - smoothstep(20.0, 120.0, away));
    } else if (tint.a > 1.5) {
        // Walls are a screen of dots: what is behind them is seen.
        vec2 cell = mod(floor(gl_FragCoord.xy), 3.0);
        if (cell.x + cell.y > 0.5) discard;
    }
    float light = 0.42 + 0.13 * n.y + 0.50 * max(dot(n, SUN), 0.0);
    float haze = 1.0 - exp(-max(away - 60.0, 0.0) * 0.006);
    gl_FragColor = vec4(mix(base * light, sky, haze), 1.0);
}
