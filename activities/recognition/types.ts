/** What the recognition engine takes and answers, and the limits that it keeps. */

export interface RecognitionRequest {
  /** Absolute path of a local file. Its bytes, not its name, say what it is. */
  readonly filePath: string
  /** What the uploader said; used only to name a file that cannot be read. */
  readonly mimeType?: string | undefined
  /** What the uploader called it; used only to tell kinds of text apart. */
  readonly fileName?: string | undefined
  readonly ocr: boolean
  readonly classify: boolean
  /** Language data to read with, the most likely first; `eng` when absent or empty. */
  readonly languages?: readonly string[] | undefined
  readonly model?: 'resnet50' | undefined
  /** Labels below this score (0 to 1) are left out; 0.15 when absent. */
  readonly minScore?: number | undefined
}

/** A word and where it stands. `box` is [x0, y0, x1, y1] from the top left: pixels of the upright picture, or points (1/72 inch) of the PDF page. */
export interface RecognizedWord {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
  readonly box: readonly [number, number, number, number]
  /** From 1; only in PDFs. */
  readonly page?: number
}

export interface RecognizedText {
  /** Lines end in a newline, pages in an empty line. At most `limits.textCharacters`. */
  readonly text: string
  /** At most `limits.words`. */
  readonly words: readonly RecognizedWord[]
  /** The language data it was read with, such as `eng` or `eng+deu`. */
  readonly language: string
  /** 0 to 100: the mean of the words', weighted by their length; 0 where nothing was read. A PDF's own text counts 100. */
  readonly confidence: number
  /** How many pages were read; only in PDFs. */
  readonly pages?: number
}

export interface RecognizedLabel {
  readonly label: string
  /** 0 to 1. */
  readonly score: number
}

/**
 * `done`: read, even where nothing was found. `skipped`: of a kind that cannot be read. `failed`: broken, locked, too large or too slow.
 * `reason` is a sentence for people: always there for skipped and failed, and for done where something asked for is missing.
 */
export interface RecognitionResult {
  readonly state: 'done' | 'skipped' | 'failed'
  readonly reason?: string
  readonly ocr?: RecognizedText
  /** The best five at most, the likeliest first. Absent where labels were not asked for or could not be had. */
  readonly labels?: readonly RecognizedLabel[]
  /** The modelId behind `labels`. */
  readonly model?: string
  readonly durationMs: number
}

export interface RecognitionProgress {
  /** `opening`: a picture, a PDF as a whole, or its page `page` of `all`, before its text is read. */
  readonly stage: 'waiting' | 'reading' | 'opening' | 'text' | 'labels'
  readonly page?: number
  readonly all?: number
  /** Only in PDFs: pages read so far, and how many will be. */
  readonly done?: number
  readonly total?: number
}

export interface RecognitionOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: RecognitionProgress) => void) | undefined
}

/** The child processes as they are now. */
export interface PoolStats {
  readonly children: readonly { readonly pid: number; readonly isBusy: boolean; readonly jobs: number; readonly rssBytes: number }[]
  readonly waiting: number
}

export interface Recognizer {
  /**
   * Reads one file in a child process. Resolves for every file, however bad. Throws AppError `invalid_input` for an unknown language,
   * `unavailable` where the machinery itself is broken (no child can be started, the file cannot be opened, the only thing asked for
   * needs a model that cannot be had), and the signal's reason when aborted.
   */
  recognize(request: RecognitionRequest, options?: RecognitionOptions): Promise<RecognitionResult>
  stats(): PoolStats
  /** Ends every child at once; what is under way or waiting throws `unavailable`. */
  close(): Promise<void>
}

const MiB = 1024 * 1024

/** One place for every bound of the engine. */
export const limits = {
  /** A picture's width times height; a 50-megapixel telephone passes. */
  pixels: 64_000_000,
  /** Larger files are not opened. */
  fileBytes: 200 * MiB,
  /** SVG and HEIC are held in memory as a whole. */
  wholeFileBytes: 50 * MiB,
  /** The longer side that a picture is read at; larger ones are scaled down while decoding. */
  pictureSide: 3_200,
  /** The longer side for text in photographs of scenes; memory grows steeply past it. */
  sceneSide: 1_280,
  pdfDpi: 200,
  pdfPagePixels: 12_000_000,
  words: 5_000,
  textCharacters: 500_000,
  labels: 5,
} as const
