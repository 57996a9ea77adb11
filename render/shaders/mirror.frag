// What an eye sees around it, and over it what is fixed to the head, its colours multiplied by its alpha.
in vec2 spot;

layout(binding = 0) uniform sampler2D around;
layout(binding = 1) uniform sampler2D at_head;
layout(location = 0) out vec4 shown;

vec3 encode(vec3 light) {
    return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), light));
}

void main() {
    vec4 front = texture(at_head, spot);
    // Windows are seldom of an sRGB format, so that the shader encodes.
    shown = vec4(encode(clamp(front.rgb + (1.0 - front.a) * texture(around, spot).rgb, 0.0, 1.0)), 1.0);
}
