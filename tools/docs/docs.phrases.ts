import type { Phrases } from '#platform/operation.ts'

export const docsPhrases: Phrases = {
  docs_index: {
    en: 'which help pages are there; table of contents of the manual; list all guides; what documentation exists; overview of the handbook; sitemap of the docs; enumerate documentation pages; what is written down about this product; list of chapters; which guides can I read; everything there is to read; all articles of the help centre; names of the documentation pages; what topics does the manual cover',
    de: 'welche Hilfeseiten gibt es; Inhaltsverzeichnis der Anleitung; alle Handbuchseiten auflisten; welche Kapitel hat das Handbuch; was gibt es alles zu lesen; Themen der Dokumentation; Liste der Anleitungen',
    fr: "quelles pages de documentation existent; table des matières du manuel; liste de toutes les pages d'aide; quels chapitres dans le manuel; tout ce qu'il y a à lire; sujets de la documentation; liste des guides",
    es: 'qué páginas de ayuda hay; índice del manual; lista de toda la documentación; qué capítulos tiene el manual; todo lo que hay para leer; temas de la documentación; lista de guías',
  },
  docs_read: {
    en: 'open a help page; read one chapter of the manual; show me the guide about messaging; print the whole article; fetch markdown of a documentation page; get one section of a guide by anchor; show the page guides/records.md; I found the page, now let me read it; full text of this article; the section about deleting, in full; give me the text behind a search hit; display one help topic; read on in the guide',
    de: 'eine Hilfeseite öffnen; ein Kapitel der Anleitung lesen; den ganzen Hilfetext anzeigen; Seite guides/records.md zeigen; den gefundenen Artikel jetzt lesen; vollständiger Text der Seite; diesen Abschnitt ganz zeigen',
    fr: "ouvrir une page d'aide; lire un chapitre du manuel; afficher l'article complet; montrer la page guides/records.md; lire l'article trouvé; texte intégral de la page; afficher toute cette section",
    es: 'abrir una página de ayuda; leer un capítulo del manual; mostrar el artículo completo; mostrar la página guides/records.md; leer el artículo encontrado; texto completo de la página; mostrar toda esta sección',
  },
  docs_search: {
    en: 'how do I do this, look it up in the help; I need instructions; ask the manual a question; where is this explained; find a guide about a topic; what does this error mean; semantic search over the docs; I am stuck and need help; search the knowledge base; help me; explain how something works; what is the right way to do it; is there a tutorial about it; I do not understand this; what does this word mean here; instructions for beginners; which page tells me about backups; best practice; look something up',
    de: 'in der Anleitung suchen; wie geht das, Hilfe nachschlagen; wo ist das erklärt; eine Frage zur Bedienung; hilf mir; ich verstehe das nicht; wo steht etwas darüber; was bedeutet dieser Begriff; Erklärung gesucht',
    fr: "chercher dans l'aide; comment faire, où est-ce expliqué; poser une question au manuel; j'ai besoin d'instructions; aidez-moi; je ne comprends pas; quelle page en parle; que signifie ce terme; trouver une explication",
    es: 'buscar en la ayuda; cómo se hace esto; dónde está explicado; consultar el manual; ayúdame; no lo entiendo; qué página habla de esto; qué significa este término; busco una explicación',
  },
}
