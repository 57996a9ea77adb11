// From a layer's share of the depth range to the whole of it; of the samples of a pixel the first one counts.
layout(binding = 0) uniform sampler2DMS samples;

void main() {
    float depth = texelFetch(samples, ivec2(gl_FragCoord.xy), 0).r;
    int layer = depth >= LAYER_NEAR[0] ? 0 : depth >= LAYER_NEAR[1] ? 1 : 2;
    gl_FragDepth = clamp((depth - LAYER_NEAR[layer]) / LAYER_SHARE[layer], 0.0, 1.0);
}
