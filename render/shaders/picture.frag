in vec2 place_in_picture;

layout(location = 0) out vec4 shown;
layout(binding = 0) uniform sampler2D image;

void main() {
    shown = vec4(texture(image, place_in_picture).rgb, 1.0);
}
