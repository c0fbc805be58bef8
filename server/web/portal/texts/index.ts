/** What the application says, in the language of the page. */
import { language } from '../page.ts'
import { de } from './de.ts'
import { en } from './en.ts'

export const texts = language === 'de' ? de : en
