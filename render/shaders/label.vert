// Texts: one glyph, or the plate behind them, an instance.
struct Glyph {
    vec4 box;   // left, bottom, right, top from the label's middle [line heights]
    vec4 atlas; // the same edges in the atlas; all zero for a plate
    vec4 label; // x: which
};
struct Label {
    vec4 position; // w: height of a line
    vec4 x_axis;   // w: layer_and_anchor
    vec4 y_axis;   // w: 1 turns it to the head instead
    vec4 color;
    vec4 background;
};
layout(std430, binding = 3) readonly buffer Glyphs { Glyph glyphs[]; };
layout(std430, binding = 4) readonly buffer Labels { Label labels[]; };

out vec2 place_in_atlas;
out vec2 place_on_plate;         // from its middle [line heights]
flat out vec2 half_size_of_plate; // zero for a glyph
flat out vec4 color;

const float PULL_OF_PLATE = 0.003; // before lines
const float PULL_OF_GLYPH = 0.005; // before its plate

void face_head(vec3 position, out vec3 x_axis, out vec3 y_axis) {
    vec3 to_head = normalize(head_in_world.xyz - position);
    // Upright in the world, but upright for the head where that is looked at from right above or below.
    float steep = smoothstep(0.85, 0.98, abs(to_head.z));
    x_axis = normalize(cross(mix(vec3(0.0, 0.0, 1.0), head_up_in_world.xyz, steep), to_head));
    y_axis = cross(to_head, x_axis);
}

void main() {
    Glyph glyph = glyphs[gl_InstanceID];
    Label label = labels[uint(glyph.label.x)];
    uint layer_and_anchor = uint(label.x_axis.w);
    vec4 middle = place(layer_and_anchor, vec4(label.position.xyz, 1.0));
    vec3 x_axis = turn(layer_and_anchor, label.x_axis.xyz);
    vec3 y_axis = turn(layer_and_anchor, label.y_axis.xyz);
    if (label.y_axis.w > 0.0) {
        face_head(middle.xyz, x_axis, y_axis);
    }
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 in_label = mix(glyph.box.xy, glyph.box.zw, corner);
    bool plate = glyph.atlas.z == 0.0;
    place_in_atlas = mix(glyph.atlas.xy, glyph.atlas.zw, corner);
    half_size_of_plate = plate ? 0.5 * (glyph.box.zw - glyph.box.xy) : vec2(0.0);
    place_on_plate = in_label - 0.5 * (glyph.box.xy + glyph.box.zw);
    color = plate ? label.background : label.color;
    vec3 world = middle.xyz + label.position.w * (in_label.x * x_axis + in_label.y * y_axis);
    vec3 in_eye = (eye_from_world * vec4(world, 1.0)).xyz;
    gl_Position = middle.w == 0.0 ? NOWHERE : project(in_eye, plate ? PULL_OF_PLATE : PULL_OF_GLYPH, layer_and_anchor);
}
