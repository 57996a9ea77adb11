// The ground: a square around the point below the eye, so large that its edge is out of sight.
uniform float height;

out vec2 on_ground; // in world [m]

const float REACH = 80.0; // [m], within the farthest that is drawn

void main() {
    vec2 corner = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, gl_VertexID < 2 ? -1.0 : 1.0);
    on_ground = eye_in_world.xy + REACH * corner;
    vec3 in_eye = (eye_from_world * vec4(on_ground, height, 1.0)).xyz;
    gl_Position = project(in_eye, 0.0, 0u);
}
