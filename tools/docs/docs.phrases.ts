import type { Phrases } from '#platform/operation.ts'

export const docsPhrases: Phrases = {
  docs_index: {
    en: 'which help pages are there; table of contents of the manual; list all guides; what documentation exists; overview of the handbook; sitemap of the docs; enumerate documentation pages',
    de: 'welche Hilfeseiten gibt es; Inhaltsverzeichnis der Anleitung; alle Handbuchseiten auflisten',
    fr: "quelles pages de documentation existent; table des matières du manuel; liste de toutes les pages d'aide",
    es: 'qué páginas de ayuda hay; índice del manual; lista de toda la documentación',
  },
  docs_read: {
    en: 'open a help page; read one chapter of the manual; show me the guide about messaging; print the whole article; fetch markdown of a documentation page; get one section of a guide by anchor',
    de: 'eine Hilfeseite öffnen; ein Kapitel der Anleitung lesen; den ganzen Hilfetext anzeigen',
    fr: "ouvrir une page d'aide; lire un chapitre du manuel; afficher l'article complet",
    es: 'abrir una página de ayuda; leer un capítulo del manual; mostrar el artículo completo',
  },
  docs_search: {
    en: 'how do I do this, look it up in the help; I need instructions; ask the manual a question; where is this explained; find a guide about a topic; what does this error mean; semantic search over the docs; I am stuck and need help; search the knowledge base',
    de: 'in der Anleitung suchen; wie geht das, Hilfe nachschlagen; wo ist das erklärt; eine Frage zur Bedienung',
    fr: "chercher dans l'aide; comment faire, où est-ce expliqué; poser une question au manuel; j'ai besoin d'instructions",
    es: 'buscar en la ayuda; cómo se hace esto; dónde está explicado; consultar el manual',
  },
}
