// The colour of an element as it is given: without light, smooth edges or what can be seen through it.
flat in vec4 color;

layout(location = 0) out vec4 shown;

void main() {
    shown = vec4(color.rgb, 1.0);
}
