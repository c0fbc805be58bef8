/**
 * Imported before anything that loads onnxruntime, in the main thread of its process: from 1.29 the published library for Linux and macOS
 * reports each process, session and model to its maker and keeps an identifier of the device in the home folder, unless this variable is set
 * when it is loaded (microsoft/onnxruntime, pull requests 27379 and 29843). What an installation reads is nobody else's to know. A thread's
 * `process.env` is a copy that the native library never sees, hence the main thread.
 */
process.env['ORT_DISABLE_TELEMETRY'] = '1'
