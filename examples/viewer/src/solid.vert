#version 100
attribute vec3 corner;
attribute vec3 normal;
attribute vec3 position;
attribute vec4 orientation;
attribute vec3 scale;
attribute vec4 colour;

uniform mat4 view;

varying highp vec3 place;
varying mediump vec3 outward;
varying mediump vec4 tint;

vec3 turned(vec3 v) {
    vec3 t = 2.0 * cross(orientation.xyz, v);
    return v + orientation.w * t + cross(orientation.xyz, t);
}

void main() {
    place = position + turned(corner * scale);
    outward = turned(normal / scale);
    tint = colour;
    gl_Position = view * vec4(place, 1.0);
}
