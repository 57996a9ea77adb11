// A cloud of points, as round splats.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 camera_color; // sRGB

uniform float size; // [m]

flat out vec3 color;

vec3 to_linear(vec3 srgb) {
    return mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), greaterThan(srgb, vec3(0.04045)));
}

void main() {
    vec3 in_eye = (eye_from_world * vec4(position, 1.0)).xyz;
    color = to_linear(camera_color.rgb);
    gl_PointSize = max(size * picture.z / max(-in_eye.z, 1e-3), 1.0);
    gl_Position = project(in_eye, 0.0, 0u);
}
