/** Loaded with the pages on which kinds are defined, and not before. */
import { language } from '../../page.ts'
import { de } from './de.ts'
import { en } from './en.ts'

export const words = language === 'de' ? de : en
