/** What a picture is made into, and why it may not be. */

export interface ImageTask {
  readonly bytes: Uint8Array
  /** In pixels. */
  readonly width: number
  readonly height: number
  /** `inside`: never larger than it came, in its own proportions. `contain`: of exactly that size, with nothing or `background` around it. */
  readonly fit: 'inside' | 'contain'
  readonly background?: string | undefined
}

export type ImageAnswer = { readonly bytes: Uint8Array } | { readonly refusal: 'type' | 'pixels' | 'broken' }
