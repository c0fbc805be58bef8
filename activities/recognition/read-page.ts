/** Reads one picture of a page or a scene: which engine, which way up, and which of the words are to be believed. */
import sharp from 'sharp'

import { after, mapBox, scaling, unturning, type Box } from './geometry.ts'
import { fromRaster, toRaster, type Picture } from './image.ts'
import { preparePage, type PreparedPage } from './prepare.ts'
import type { SceneReader } from './scene-text.ts'
import type { Tesseract, TesseractPage } from './tesseract.ts'
import { workMs } from './work.ts'

export interface FoundWord {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
  readonly box: Box
}

/** Lines of words, in reading order, in the pixels of the upright picture. */
export type PageText = readonly (readonly FoundWord[])[]

export interface Engines {
  readonly tesseract: Tesseract
  readonly scenes: SceneReader
}

export interface ReadOptions {
  readonly languages: readonly string[]
  /** Milliseconds that the page may take before it is left with what was found. */
  readonly withinMs: number
  /** The same in work, which grain or a drawing would make endless. */
  readonly workMs: number
}

/** Tesseract's mean was 87 or more on every page, and 48 or less on every scene, textless photograph and turned page. */
const pageFrom = 60
const surePageFrom = 80
const believedFrom = 70
/** The grain of a photograph is taken for lone letters and signs. */
const lettersIn = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
/** The scene engine knows Chinese too, and sees it in textures; the languages that can be asked for are all written in Latin letters. */
const isForeign = (text: string) => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
const compassSide = 1_600
const longestReadMs = 40_000

/** The text of one picture; empty where there is none. */
export async function readPage(picture: Picture, { tesseract, scenes }: Engines, { languages, ...most }: ReadOptions): Promise<PageText> {
  const deadline = performance.now() + most.withinMs
  const mostWork = workMs() + most.workMs
  const isOver = () => performance.now() >= deadline || workMs() >= mostWork
  // Grain without writing can keep tesseract busy for minutes; half of the time stays for the other engine.
  const spanOf = (longestMs: number) => ({
    withinMs: Math.min(longestMs, (deadline - performance.now()) / 2),
    workMs: (mostWork - workMs()) * 0.7,
  })
  const upright = await preparePage(picture.raster)
  if (upright.isBlank) return []
  const first = await tesseract.read(upright.png, languages, spanOf(longestReadMs))
  if (first && first.confidence >= pageFrom) return believedWords(first, upright, picture)

  const turn = await tesseract.findTurn(await smallerPng(upright), spanOf(10_000))
  if (turn !== undefined && turn !== 0 && !isOver()) {
    const turned = await turnPage(picture, turn)
    const second = await tesseract.read(turned.png, languages, spanOf(longestReadMs))
    if (second && second.confidence >= pageFrom) return believedWords(second, turned, picture)
  }
  const scene = isOver() ? [] : await scenes.read(picture)
  const believed = scene.filter(({ text, confidence }) => confidence >= believedFrom && lettersIn(text) >= 2 && !isForeign(text))
  if (believed.length > 0) return believed.map((line) => splitLine(line, line.runs))
  return first ? believedWords(first, upright, picture) : []
}

/** All words of a page that was read surely; of a doubtful one only those that tesseract itself believes. */
function believedWords(page: TesseractPage, prepared: PreparedPage, picture: Picture): PageText {
  const isBelieved = ({ text, confidence }: { text: string; confidence: number }) =>
    page.confidence >= surePageFrom || (confidence >= believedFrom && lettersIn(text) >= 3)
  const toPicture = after(scaling(picture.width / picture.raster.width, picture.height / picture.raster.height), prepared.toSource)
  const lines = new Map<number, FoundWord[]>()
  for (const word of page.words) {
    const { text, confidence, box, line } = word
    if (text.trim() === '' || !isBelieved(word)) continue
    const words = lines.get(line) ?? []
    words.push({ text, confidence: Math.round(confidence * 10) / 10, box: mapBox(toPicture, box, picture.width, picture.height) })
    lines.set(line, words)
  }
  return [...lines.values()]
}

/** A line of one box into words: each takes the share of the box that it has of the letters, from the left or, where the line hangs, from the top. */
export function splitLine({ text, confidence, box }: FoundWord, runs: 'right' | 'down' = 'right'): readonly FoundWord[] {
  const [x0, y0, x1, y1] = box
  const share = (from: number, to: number, index: number) => Math.round(from + ((to - from) * index) / text.length)
  return [...text.matchAll(/\S+/g)].map((match) => {
    const [start, end] = [match.index, match.index + match[0].length]
    const part: Box =
      runs === 'down' ? [x0, share(y0, y1, start), x1, share(y0, y1, end)] : [share(x0, x1, start), y0, share(x0, x1, end), y1]
    return { text: match[0], confidence, box: part }
  })
}

async function smallerPng({ png, width, height }: PreparedPage): Promise<Buffer> {
  if (Math.max(width, height) <= compassSide) return png
  return sharp(png).resize({ width: compassSide, height: compassSide, fit: 'inside' }).png({ compressionLevel: 1 }).toBuffer()
}

async function turnPage(picture: Picture, degrees: number): Promise<PreparedPage> {
  const turned = await toRaster(fromRaster(picture.raster).rotate(degrees))
  const prepared = await preparePage(turned)
  return { ...prepared, toSource: after(unturning(degrees, picture.raster, turned), prepared.toSource) }
}
