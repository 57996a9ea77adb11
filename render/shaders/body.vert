// Meshes of robots and shapes: an instance of a mesh stands where its joint, or its solid, is placed.
struct Placement {
    mat4 transform;
    vec4 tint; // laid over the mesh's own colour, its alpha the share of it
    // x: which (render/gl/anchors.py), y: opacity, z: distance of the lines of a grid or 0 for none, w: 1 for a ghost
    vec4 layer_and_anchor;
};
layout(std430, row_major, binding = 1) readonly buffer Placements { Placement placements[]; };

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint placement;
layout(location = 3) in vec3 mesh_color;

out vec3 normal_in_world;
out vec3 to_eye;
out vec3 in_solid; // along its own axes, from its middle [m]
out vec3 own_normal;
flat out float grid;
flat out vec4 color;
flat out float ghost;

const float GHOST_PUSH = -0.004; // a ghost where the robot itself is hides behind it instead of speckling

void main() {
    mat4 transform = placements[placement].transform;
    uint layer_and_anchor = uint(placements[placement].layer_and_anchor.x);
    vec4 tint = placements[placement].tint;
    color = vec4(mix(mesh_color, tint.rgb, tint.a), placements[placement].layer_and_anchor.y);
    ghost = placements[placement].layer_and_anchor.w;
    vec4 world = place(layer_and_anchor, transform * vec4(position, 1.0));
    vec3 squared_sizes = vec3(dot(transform[0], transform[0]), dot(transform[1], transform[1]), dot(transform[2], transform[2]));
    normal_in_world = turn(layer_and_anchor, mat3(transform) * (normal / max(squared_sizes, 1e-12)));
    in_solid = position * sqrt(squared_sizes);
    own_normal = normal;
    grid = placements[placement].layer_and_anchor.z;
    to_eye = eye_in_world.xyz - world.xyz;
    vec3 in_eye = (eye_from_world * world).xyz;
    gl_Position = world.w == 0.0 ? NOWHERE : project(in_eye, GHOST_PUSH * ghost, layer_and_anchor);
}
