/** The one way to onnxruntime of our own code: it is told to report nothing before it is loaded. */
import './onnx-environment.ts'

export { InferenceSession, Tensor } from 'onnxruntime-node'
