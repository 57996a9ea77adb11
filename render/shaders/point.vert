// A cloud of points, as round splats.
layout(location = 0) in vec3 position;
layout(std430, binding = 6) readonly buffer Colors { uint colors[]; }; // sRGB, three bytes a point, four bytes a word

uniform float size; // [m]

flat out vec3 color;

vec3 to_linear(vec3 srgb) {
    return mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), greaterThan(srgb, vec3(0.04045)));
}

uint read_byte(uint index) {
    return (colors[index >> 2] >> (8u * (index & 3u))) & 255u;
}

void main() {
    vec3 in_eye = (eye_from_world * vec4(position, 1.0)).xyz;
    uint first = 3u * uint(gl_VertexID);
    color = to_linear(vec3(read_byte(first), read_byte(first + 1u), read_byte(first + 2u)) / 255.0);
    gl_PointSize = max(size * picture.z / max(-in_eye.z, 1e-3), 1.0);
    gl_Position = project(in_eye, 0.0, 0u);
}
