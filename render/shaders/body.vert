// Meshes of robots and shapes: one body an instance.
struct Body {
    mat4 transform;
    vec4 color;
    vec4 anchor; // x
};
layout(std430, row_major, binding = 1) readonly buffer Bodies { Body bodies[]; };

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint instance;

out vec3 normal_in_world;
out vec3 to_eye;
flat out vec4 color;

const float GHOST_PUSH = -0.004; // a ghost where the robot itself is hides behind it instead of speckling

void main() {
    mat4 transform = bodies[instance].transform;
    uint anchor = uint(bodies[instance].anchor.x);
    color = bodies[instance].color;
    vec4 world = place(anchor, transform * vec4(position, 1.0));
    vec3 squared_sizes = vec3(dot(transform[0], transform[0]), dot(transform[1], transform[1]), dot(transform[2], transform[2]));
    normal_in_world = turn(anchor, mat3(transform) * (normal / max(squared_sizes, 1e-12)));
    to_eye = eye_in_world.xyz - world.xyz;
    vec3 in_eye = (eye_from_world * world).xyz;
    gl_Position = world.w == 0.0 ? NOWHERE : project(in_eye, color.a < 1.0 ? GHOST_PUSH : 0.0, anchor);
}
