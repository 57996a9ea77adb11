#version 430 core

// What every shader is told of the eye; `EyeBlock` in render/gl/eye.py writes it.
layout(std140, row_major, binding = 0) uniform EyeBlock {
    mat4 eye_from_world;
    mat4 clip_from_eye;
    mat4 world_from_anchor[4]; // world, head, left hand, right hand; all zero where not tracked
    vec4 eye_in_world;
    vec4 head_in_world;
    vec4 head_up_in_world;
    vec4 tangents; // left, right, up, down
    vec4 picture;  // width and height in pixels, pixels a metre at 1 m, vignette
};

const uint HEAD = 1u;
const float FRONT_SHARE = 0.01; // share of the depth range kept for what moves with the head, in front of all else
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);

vec4 place(uint anchor, vec4 position) {
    return anchor == 0u ? position : world_from_anchor[anchor] * position;
}

vec3 turn(uint anchor, vec3 direction) {
    return mat3(world_from_anchor[anchor]) * direction;
}

// Projects a point in the eye's frame. `pull` brings it nearer along its ray by that share of its distance: what lies in one
// plane (a floor, a region on it, its outline) then has an order, and no eye sees it move.
vec4 project(vec3 in_eye, float pull, uint anchor) {
    vec4 clip = clip_from_eye * vec4(in_eye * (1.0 - pull), 1.0);
    if (anchor == HEAD) {
        clip.z = FRONT_SHARE * (clip.z + clip.w) - clip.w;
    }
    return clip;
}
