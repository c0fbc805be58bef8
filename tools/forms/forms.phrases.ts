import type { Phrases } from '#platform/operation.ts'

export const formsPhrases: Phrases = {
  validate_form: {
    en: 'is this form sound before I store it; check the layout of an entry mask for mistakes; does every field of my form exist; would the entry screen be accepted; try a form out without keeping it; why would this entry form be refused; test a form definition; which required fields could stay hidden in the form; find typing errors in a form draft; check conditions of a form; dry run of a data entry form; proofread a questionnaire layout',
    de: 'stimmt dieses Formular, bevor ich es anlege; Eingabemaske auf Fehler prüfen; gibt es alle Felder des Formulars; Formular ausprobieren, ohne es zu behalten; welche Pflichtfelder könnten im Formular verborgen bleiben; Formularentwurf prüfen; würde das Formular angenommen',
    fr: 'ce formulaire est-il correct avant de le garder; vérifier les erreurs d’un masque de saisie; tous les champs du formulaire existent-ils; essayer un formulaire sans le garder; quels champs obligatoires pourraient rester cachés; contrôler un brouillon de formulaire; le formulaire serait-il accepté',
    es: 'está bien este formulario antes de guardarlo; revisar errores de una pantalla de captura; existen todos los campos del formulario; probar un formulario sin guardarlo; qué campos obligatorios podrían quedar ocultos; comprobar un borrador de formulario; se aceptaría el formulario',
  },
}
