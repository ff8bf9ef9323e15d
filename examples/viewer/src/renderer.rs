//! Draws a picture on the graphics processor: one call a mesh, however many instances it has.

use crate::camera::Camera;
use crate::meshes::{self, Key};
use crate::picture::{Instance, Picture};
use macroquad::miniquad::{
    BufferId, BufferLayout, BufferSource, BufferType, BufferUsage, Comparison, PassAction, Pipeline, PipelineParams,
    RenderingBackend, ShaderMeta, ShaderSource, UniformBlockLayout, UniformDesc, UniformType, UniformsSource,
    VertexAttribute, VertexFormat, VertexStep,
};
use macroquad::window::get_internal_gl;
use std::collections::BTreeMap;

/// Colour of the sky (red, green, blue from 0 to 1).
const SKY: [f32; 3] = [0.86, 0.89, 0.92];

const VERTEX: &str = include_str!("solid.vert");
const FRAGMENT: &str = include_str!("solid.frag");

/// The pipeline of solids, and the meshes on the graphics processor.
pub struct Renderer {
    pipeline: Pipeline,
    meshes: BTreeMap<Key, Uploaded>,
}

/// A mesh, and a buffer for its instances.
struct Uploaded {
    vertices: BufferId,
    indices: BufferId,
    index_count: i32,
    instances: BufferId,
    /// Number of instances that the buffer holds.
    room: usize,
}

/// The uniforms of the shaders.
#[repr(C)]
struct Uniforms {
    view: [f32; 16],
    eye: [f32; 3],
    sky: [f32; 3],
}

impl Renderer {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// The words of the driver.
    pub fn new() -> Result<Self, String> {
        let gl = context();
        let uniform = UniformDesc::new;
        let meta = ShaderMeta {
            images: Vec::new(),
            uniforms: UniformBlockLayout {
                uniforms: vec![
                    uniform("view", UniformType::Mat4),
                    uniform("eye", UniformType::Float3),
                    uniform("sky", UniformType::Float3),
                ],
            },
        };
        let source = ShaderSource::Glsl { vertex: VERTEX, fragment: FRAGMENT };
        let shader = gl.new_shader(source, meta).map_err(|e| format!("shaders: {e}"))?;
        let instanced = BufferLayout { step_func: VertexStep::PerInstance, ..BufferLayout::default() };
        let of_instance = |name, format| VertexAttribute::with_buffer(name, format, 1);
        let pipeline = gl.new_pipeline(
            &[BufferLayout::default(), instanced],
            &[
                VertexAttribute::with_buffer("corner", VertexFormat::Float3, 0),
                VertexAttribute::with_buffer("normal", VertexFormat::Float3, 0),
                of_instance("position", VertexFormat::Float3),
                of_instance("orientation", VertexFormat::Float4),
                of_instance("scale", VertexFormat::Float3),
                of_instance("colour", VertexFormat::Float4),
            ],
            shader,
            PipelineParams { depth_test: Comparison::LessOrEqual, depth_write: true, ..PipelineParams::default() },
        );
        Ok(Self { pipeline, meshes: BTreeMap::new() })
    }

    /// Clears the screen and draws the picture as the camera sees it.
    pub fn draw(&mut self, picture: &Picture, camera: &Camera, aspect: f32) {
        let gl = context();
        let [r, g, b] = SKY;
        gl.begin_default_pass(PassAction::clear_color(r, g, b, 1.0));
        gl.apply_pipeline(&self.pipeline);
        let uniforms = Uniforms { view: camera.matrix(aspect).to_cols_array(), eye: camera.eye().to_array(), sky: SKY };
        for (key, (shape, instances)) in picture {
            if instances.is_empty() {
                continue;
            }
            let uploaded = self.meshes.entry(*key).or_insert_with(|| upload(gl, &meshes::mesh(*key, &**shape)));
            uploaded.fill(gl, instances);
            let vertex_buffers = [uploaded.vertices, uploaded.instances];
            gl.apply_bindings_from_slice(&vertex_buffers, uploaded.indices, &[]);
            gl.apply_uniforms(UniformsSource::table(&uniforms));
            gl.draw(0, uploaded.index_count, instances.len() as i32);
        }
        gl.end_render_pass();
    }

    /// Forgets the meshes of shapes that only one scene has.
    pub fn forget(&mut self) {
        let gl = context();
        self.meshes.retain(|_, uploaded| {
            let buffers = [uploaded.vertices, uploaded.indices, uploaded.instances];
            buffers.into_iter().for_each(|buffer| gl.delete_buffer(buffer));
            false
        });
    }
}

impl Uploaded {
    /// Writes the instances, into a larger buffer if they need one.
    fn fill(&mut self, gl: &mut dyn RenderingBackend, instances: &[Instance]) {
        if instances.len() > self.room {
            gl.delete_buffer(self.instances);
            self.room = instances.len().next_power_of_two();
            self.instances = stream(gl, self.room);
        }
        gl.buffer_update(self.instances, BufferSource::slice(instances));
    }
}

fn upload(gl: &mut dyn RenderingBackend, mesh: &meshes::Mesh) -> Uploaded {
    let (vertex, index, fixed) = (BufferType::VertexBuffer, BufferType::IndexBuffer, BufferUsage::Immutable);
    let room = 1;
    Uploaded {
        vertices: gl.new_buffer(vertex, fixed, BufferSource::slice(&mesh.vertices)),
        indices: gl.new_buffer(index, fixed, BufferSource::slice(&mesh.indices)),
        index_count: mesh.indices.len() as i32,
        instances: stream(gl, room),
        room,
    }
}

/// A buffer for so many instances, written each frame.
fn stream(gl: &mut dyn RenderingBackend, room: usize) -> BufferId {
    gl.new_buffer(BufferType::VertexBuffer, BufferUsage::Stream, BufferSource::empty::<Instance>(room))
}

/// The context of the graphics processor, with all that macroquad draws drawn before.
fn context() -> &'static mut dyn RenderingBackend {
    // SAFETY: only the thread of the window draws, and no other reference to the context is kept.
    let mut gl = unsafe { get_internal_gl() };
    gl.flush();
    gl.quad_context
}
