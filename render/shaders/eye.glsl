#version 430 core

// What every shader is told of the eye; `EyeBlock` in render/gl/eye.py writes it.
layout(std140, row_major, binding = 0) uniform EyeBlock {
    mat4 eye_from_world;
    mat4 clip_from_eye;
    mat4 world_from_anchor[5]; // world, head, left hand, right hand (all zero where not tracked), ahead
    vec4 eye_in_world;
    vec4 head_in_world;
    vec4 head_up_in_world;
    vec4 tangents; // left, right, up, down
    vec4 picture;  // width and height in pixels, pixels a metre at 1 m, vignette
};

// What an element moves with, and its layer (render/gl/anchors.py) are one number: nearer layers have the nearer shares of the depth range.
const uint ANCHOR_MASK = 7u;
const uint LAYER_SHIFT = 3u;
// Where each layer's share begins, and its size: the world, the operator's interface, what moves with the head.
const float FRONT_SHARE = 0.01;
const float LAYER_NEAR[3] = float[](2.0 * FRONT_SHARE, FRONT_SHARE, 0.0);
const float LAYER_SHARE[3] = float[](1.0 - 2.0 * FRONT_SHARE, FRONT_SHARE, FRONT_SHARE);
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);

vec4 place(uint layer_and_anchor, vec4 position) {
    uint anchor = layer_and_anchor & ANCHOR_MASK;
    return anchor == 0u ? position : world_from_anchor[anchor] * position;
}

vec3 turn(uint layer_and_anchor, vec3 direction) {
    return mat3(world_from_anchor[layer_and_anchor & ANCHOR_MASK]) * direction;
}

// Projects a point in the eye's frame. `pull` brings it nearer along its ray by that share of its distance: what lies in one
// plane (a floor, a region on it, its outline) then has an order, and no eye sees it move.
vec4 project(vec3 in_eye, float pull, uint layer_and_anchor) {
    vec4 clip = clip_from_eye * vec4(in_eye * (1.0 - pull), 1.0);
    uint layer = layer_and_anchor >> LAYER_SHIFT;
    clip.z = LAYER_SHARE[layer] * (clip.z + clip.w) + (2.0 * LAYER_NEAR[layer] - 1.0) * clip.w;
    return clip;
}
