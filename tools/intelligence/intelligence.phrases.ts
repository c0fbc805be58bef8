import type { Phrases } from '#platform/operation.ts'

export const intelligencePhrases: Phrases = {
  list_models: {
    en: 'which recognition engines are there; what AI reads the pictures; models for image labels and text; available classifiers and OCR languages; which OCR languages can you read; what artificial intelligence do you use; does it recognise animals or machines; engine names and versions; what can the picture recognition do; which reader for photographs is installed',
    de: 'welche Erkennungsmodelle gibt es; womit werden Bilder gelesen; verfügbare Klassifizierer; welche Sprachen kann die Texterkennung; welche KI benutzt ihr; was kann die Bilderkennung',
    fr: "quels modèles de reconnaissance existent; avec quoi les images sont-elles lues; classificateurs disponibles; quelles langues l'OCR lit-il; quelle IA utilisez-vous; que sait faire la reconnaissance d'images",
    es: 'qué modelos de reconocimiento hay; con qué se leen las imágenes; clasificadores disponibles; qué idiomas lee el OCR; qué IA usáis; qué sabe hacer el reconocimiento de imágenes',
  },
  recognize_text: {
    en: 'read the text on a photo; what does the sign say; get the words out of a scan; OCR a PDF now; transcribe a picture of a meter; extract text from an image; read a letter or an invoice; what is written on the type plate; read the serial number off this picture; turn a scan into text; type this page out for me; what is the number on the meter; get the words from a document I uploaded; handwritten note on a photo, what does it say; copy the address from this label; read this file now',
    de: 'Text auf einem Foto lesen; was steht auf dem Schild; Schrift aus einem Scan holen; PDF per OCR auslesen; was steht auf dem Typenschild; Seriennummer vom Bild ablesen; Scan in Text verwandeln; welche Zahl zeigt der Zähler; Adresse vom Etikett ablesen',
    fr: "lire le texte d'une photo; que dit le panneau; extraire les mots d'un scan; OCR d'un PDF; que dit la plaque signalétique; lire le numéro de série sur l'image; transformer un scan en texte; quel chiffre affiche le compteur; lire l'adresse sur l'étiquette",
    es: 'leer el texto de una foto; qué dice el cartel; sacar las palabras de un escaneo; OCR de un PDF; qué pone en la placa; leer el número de serie de la imagen; convertir un escaneo en texto; qué cifra marca el contador; leer la dirección de la etiqueta',
  },
  classify_image: {
    en: 'what is on this picture; label a photo; which object do you see; is this a pump or a valve; image classification now; tag an image; recognise things; what does the photo show; name the thing on the picture; is that a truck or a car; sort photos by what is on them; which animal is it; guess what this is; describe the image in a word; identify the object',
    de: 'was ist auf dem Bild zu sehen; ein Foto einordnen; welcher Gegenstand ist das; Bild klassifizieren; was zeigt das Foto; ist das ein Lastwagen oder ein Auto; Bilder nach Inhalt sortieren; benenne das Ding auf dem Bild',
    fr: "qu'y a-t-il sur cette image; étiqueter une photo; quel objet voit-on; classer une image; que montre la photo; est-ce un camion ou une voiture; trier les photos selon ce qu'on y voit; nommer la chose sur l'image",
    es: 'qué hay en esta imagen; etiquetar una foto; qué objeto se ve; clasificar una imagen; qué muestra la foto; es un camión o un coche; ordenar fotos según lo que se ve; nombrar la cosa de la imagen',
  },
  set_attachment_analysis: {
    en: 'read every photo automatically when it is saved; write recognised text into a field; label new pictures by themselves; switch recognition on or off for an attachment field; automatic OCR on upload; where the results of analysis go; from now on fill in the serial number out of the photo; let the system read type plates by itself; put the OCR result into the notes; stop reading our pictures; scans that come in should be read without asking; which field gets the text of the photo; set recognition up for inspections; every picture of a table should be labelled',
    de: 'jedes Foto beim Speichern automatisch auslesen; erkannten Text in ein Feld schreiben; Erkennung ein- oder ausschalten; Seriennummer künftig aus dem Foto übernehmen; Typenschilder von selbst lesen lassen; unsere Bilder nicht mehr auslesen; eingehende Scans ohne Zutun lesen; Erkennung für eine Tabelle einrichten',
    fr: "lire automatiquement chaque photo enregistrée; écrire le texte reconnu dans un champ; activer ou désactiver la reconnaissance; désormais reprendre le numéro de série de la photo; lire les plaques tout seul; ne plus lire nos images; lire les scans qui arrivent sans demander; régler la reconnaissance d'une table",
    es: 'leer cada foto automáticamente al guardarla; escribir el texto reconocido en un campo; activar o desactivar el reconocimiento; desde ahora tomar el número de serie de la foto; leer las placas solo; dejar de leer nuestras imágenes; leer los escaneos que llegan sin preguntar; configurar el reconocimiento de una tabla',
  },
  get_attachment_analysis: {
    en: 'what was read on the saved photo; result of the recognition; is the analysis of the attachment done; text and labels that were found; why was the picture skipped; what did you find on the picture of this entry; has the scan of the order been read; show the words that were taken from the photo; did recognition fail; findings for an attached file; how sure was the OCR; is the label of the picture known by now',
    de: 'was wurde auf dem gespeicherten Foto erkannt; Ergebnis der Erkennung; ist die Analyse des Anhangs fertig; was habt ihr auf dem Bild dieses Eintrags gefunden; wurde der Scan des Auftrags gelesen; ist die Erkennung fehlgeschlagen; wie sicher war die Texterkennung',
    fr: "qu'a-t-on lu sur la photo enregistrée; résultat de la reconnaissance; l'analyse est-elle terminée; qu'avez-vous trouvé sur l'image de cette entrée; le scan de la commande a-t-il été lu; la reconnaissance a-t-elle échoué; quelle certitude pour l'OCR",
    es: 'qué se leyó en la foto guardada; resultado del reconocimiento; ha terminado el análisis del adjunto; qué encontraste en la imagen de esta entrada; se ha leído el escaneo del pedido; falló el reconocimiento; qué seguridad tuvo el OCR',
  },
  rerun_attachment_analysis: {
    en: 'read the photo once more; recognise again after changing the settings; the result was wrong, analyse the attachment anew; repeat OCR of a saved file; have another go at the scan; it misread the photo, once more please; redo the recognition; repeat the reading of an attached picture; try OCR again with other languages; the analysis failed, start it again',
    de: 'das Foto noch einmal auslesen; Erkennung wiederholen; Anhang neu analysieren; den Scan nochmals versuchen; das Foto wurde falsch gelesen, bitte erneut; Texterkennung mit anderen Sprachen wiederholen; Analyse ist gescheitert, neu anstoßen',
    fr: "relire la photo; refaire la reconnaissance; analyser de nouveau la pièce jointe; réessayer le scan; la photo a été mal lue, encore une fois; recommencer l'OCR avec d'autres langues; l'analyse a échoué, la relancer",
    es: 'volver a leer la foto; repetir el reconocimiento; analizar de nuevo el adjunto; probar otra vez con el escaneo; la foto se leyó mal, una vez más; repetir el OCR con otros idiomas; el análisis falló, lanzarlo de nuevo',
  },
}
