flat in vec4 color;

layout(location = 0) out vec4 shown;

void main() {
    shown = color;
}
