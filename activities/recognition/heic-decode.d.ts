/** heic-decode carries no types of its own. */
declare module 'heic-decode' {
  interface HeicImage {
    readonly width: number
    readonly height: number
    decode(): Promise<{ readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }>
  }
  /** The pictures in the file, not yet decoded; `dispose` frees them. Throws on a file that is not HEIC. */
  const decode: { all(file: { readonly buffer: Uint8Array }): Promise<readonly HeicImage[] & { dispose(): void }> }
  export default decode
}
