import type { Phrases } from '#platform/operation.ts'

export const intelligencePhrases: Phrases = {
  list_models: {
    en: 'which recognition engines are there; what AI reads the pictures; models for image labels and text; available classifiers and OCR languages',
    de: 'welche Erkennungsmodelle gibt es; womit werden Bilder gelesen; verfügbare Klassifizierer',
    fr: 'quels modèles de reconnaissance existent; avec quoi les images sont-elles lues; classificateurs disponibles',
    es: 'qué modelos de reconocimiento hay; con qué se leen las imágenes; clasificadores disponibles',
  },
  recognize_text: {
    en: 'read the text on a photo; what does the sign say; get the words out of a scan; OCR a PDF now; transcribe a picture of a meter; extract text from an image; read a letter or an invoice',
    de: 'Text auf einem Foto lesen; was steht auf dem Schild; Schrift aus einem Scan holen; PDF per OCR auslesen',
    fr: "lire le texte d'une photo; que dit le panneau; extraire les mots d'un scan; OCR d'un PDF",
    es: 'leer el texto de una foto; qué dice el cartel; sacar las palabras de un escaneo; OCR de un PDF',
  },
  classify_image: {
    en: 'what is on this picture; label a photo; which object do you see; is this a pump or a valve; image classification now; tag an image; recognise things',
    de: 'was ist auf dem Bild zu sehen; ein Foto einordnen; welcher Gegenstand ist das; Bild klassifizieren',
    fr: "qu'y a-t-il sur cette image; étiqueter une photo; quel objet voit-on; classer une image",
    es: 'qué hay en esta imagen; etiquetar una foto; qué objeto se ve; clasificar una imagen',
  },
  set_attachment_analysis: {
    en: 'read every photo automatically when it is saved; write recognised text into a field; label new pictures by themselves; switch recognition on or off for an attachment field; automatic OCR on upload; where the results of analysis go',
    de: 'jedes Foto beim Speichern automatisch auslesen; erkannten Text in ein Feld schreiben; Erkennung ein- oder ausschalten',
    fr: 'lire automatiquement chaque photo enregistrée; écrire le texte reconnu dans un champ; activer ou désactiver la reconnaissance',
    es: 'leer cada foto automáticamente al guardarla; escribir el texto reconocido en un campo; activar o desactivar el reconocimiento',
  },
  get_attachment_analysis: {
    en: 'what was read on the saved photo; result of the recognition; is the analysis of the attachment done; text and labels that were found; why was the picture skipped',
    de: 'was wurde auf dem gespeicherten Foto erkannt; Ergebnis der Erkennung; ist die Analyse des Anhangs fertig',
    fr: "qu'a-t-on lu sur la photo enregistrée; résultat de la reconnaissance; l'analyse est-elle terminée",
    es: 'qué se leyó en la foto guardada; resultado del reconocimiento; ha terminado el análisis del adjunto',
  },
  rerun_attachment_analysis: {
    en: 'read the photo once more; recognise again after changing the settings; the result was wrong, analyse the attachment anew; repeat OCR of a saved file',
    de: 'das Foto noch einmal auslesen; Erkennung wiederholen; Anhang neu analysieren',
    fr: 'relire la photo; refaire la reconnaissance; analyser de nouveau la pièce jointe',
    es: 'volver a leer la foto; repetir el reconocimiento; analizar de nuevo el adjunto',
  },
}
