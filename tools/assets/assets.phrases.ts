import type { Phrases } from '#platform/operation.ts'

export const assetsPhrases: Phrases = {
  upload_asset: {
    en: 'send a small file in this call; upload a photo; store a picture or PDF given as base64; keep a document; save a scan; add a file; put bytes inline; I have the content of a file here; put this picture into the system; hand in a receipt that I photographed; I took a snapshot of the damage, keep it; attach a scan, first put it in; save this PDF with you; here is an image in base64; file a signed delivery note; drop a document in',
    de: 'eine Datei hochladen; ein Foto ablegen; ein Dokument speichern; kleine Datei direkt mitschicken; hier ist ein Bild, bitte aufbewahren; Scan des Lieferscheins hineingeben; Aufnahme vom Schaden einstellen; PDF abspeichern',
    fr: "envoyer un fichier; téléverser une photo; conserver un document; petit fichier directement dans l'appel; voici une image, gardez-la; ajouter le scan du bon de livraison; déposer la photo des dégâts; enregistrer ce PDF",
    es: 'subir un archivo; guardar una foto; conservar un documento; archivo pequeño directamente en la llamada; aquí hay una imagen, guárdala; meter el escaneo del albarán; añadir la foto del daño; cargar un PDF',
  },
  create_upload_url: {
    en: 'where can I upload a large file; address to PUT a file to; upload a video or big spreadsheet; send a file with curl; presigned upload link; prepare an upload for the browser; a file to import later; the file is too big to send in the call; where do I put a file of 300 megabytes; how do I hand over a huge scan; upload ticket; one-time address that takes my bytes; let a phone send its picture straight to storage; somewhere to drop the CSV before loading it; direct upload from a web page',
    de: 'Adresse zum Hochladen einer großen Datei; Link, an den eine Datei geschickt wird; großes Video hochladen; Datei ist zu groß für den Aufruf; wohin mit der 300 MB großen Datei; einmalige Adresse zum Hochladen; Handy soll das Bild direkt hochladen',
    fr: "adresse pour envoyer un gros fichier; lien de téléversement; déposer une grande vidéo; URL d'envoi présignée; le fichier est trop gros pour l'appel; où déposer un fichier de 300 Mo; adresse d'envoi à usage unique; le téléphone envoie la photo directement",
    es: 'dirección para subir un archivo grande; enlace de subida; enviar un vídeo grande; URL de subida prefirmada; el archivo es demasiado grande para la llamada; dónde pongo un archivo de 300 MB; dirección de subida de un solo uso; que el móvil suba la foto directamente',
  },
  get_asset: {
    en: 'what kind of file is this; size and type of a file; when was it uploaded; file name and details; metadata of one attachment; has the upload arrived; how big is that file; who put this document up and on which day; is it a PDF or a picture; is the uploaded file complete; facts about one file without its content; what is behind this asset key; checksum of a file',
    de: 'was ist das für eine Datei; Größe und Typ einer Datei; Angaben zu einem Anhang; wie groß ist diese Datei; wer hat das Dokument hochgeladen; ist der Upload vollständig angekommen; was steckt hinter diesem Dateischlüssel',
    fr: "quel est ce fichier; taille et type d'un fichier; informations sur une pièce jointe; quelle est la taille de ce fichier; qui a déposé ce document; l'envoi est-il complet; à quoi correspond cette clé de fichier",
    es: 'qué archivo es este; tamaño y tipo de un archivo; datos de un adjunto; cuánto ocupa este archivo; quién subió este documento; ha llegado completa la subida; qué hay detrás de esta clave de archivo',
  },
  list_assets: {
    en: 'which files do we have; find a photo by its name; all uploaded documents; recent uploads; search files by title; browse attachments, media library; where is that scan I uploaded; look for a photo; every picture we keep; all PDFs of last week; which images were sent in today; I cannot find the document; gallery of photos; list of all scans; show the files',
    de: 'welche Dateien haben wir; eine Datei nach Namen suchen; alle hochgeladenen Dokumente; wo ist der Scan, den ich hochgeladen habe; alle Bilder, die wir haben; alle PDFs der letzten Woche; Dateiliste zeigen',
    fr: "quels fichiers avons-nous; chercher un fichier par son nom; tous les documents envoyés; où est le scan que j'ai envoyé; toutes les images que nous gardons; les PDF de la semaine dernière; liste des fichiers",
    es: 'qué archivos tenemos; buscar un archivo por su nombre; todos los documentos subidos; dónde está el escaneo que subí; todas las imágenes que tenemos; los PDF de la semana pasada; lista de archivos',
  },
  download_asset: {
    en: 'give me the file; download a photo; get the bytes of a document; save the attachment to my disk; open the PDF; retrieve file content; I want to see the picture; get the scan back out; print the signed document; take a copy of the file to my computer; let me look at the photo of the damage; fetch the original PDF; content of this attachment, please',
    de: 'Datei herunterladen; das Foto holen; Inhalt eines Dokuments abrufen; Anhang öffnen; ich will das Bild sehen; den Scan wieder herausholen; das Originaldokument ausdrucken; Kopie der Datei auf meinen Rechner',
    fr: "télécharger le fichier; récupérer la photo; obtenir le contenu d'un document; ouvrir la pièce jointe; je veux voir l'image; ressortir le scan; imprimer le document original; copier le fichier sur mon ordinateur",
    es: 'descargar el archivo; obtener la foto; contenido de un documento; abrir el adjunto; quiero ver la imagen; sacar el escaneo; imprimir el documento original; copiar el archivo a mi ordenador',
  },
  sign_asset_url: {
    en: 'link to a file that works without logging in; share a picture for a few minutes; temporary download link; signed URL to show an image in a browser; send somebody a link to the document; presigned GET; let the customer see the photo without an account; public link that expires; put the picture into a web page; the insurance needs to look at the document, they have no login; short-lived address of a file; link that dies after a while; pass a file on to an outsider',
    de: 'Link zu einer Datei, der ohne Anmeldung geht; Bild kurzzeitig teilen; befristeter Downloadlink; der Kunde soll das Foto ohne Konto sehen; Link, der abläuft; Datei an Außenstehende weitergeben; Bild in eine Webseite einbinden',
    fr: "lien vers un fichier sans connexion; partager une image quelques minutes; lien de téléchargement temporaire; le client doit voir la photo sans compte; lien qui expire; transmettre un fichier à un tiers; intégrer l'image dans une page web",
    es: 'enlace a un archivo sin iniciar sesión; compartir una imagen unos minutos; enlace de descarga temporal; que el cliente vea la foto sin cuenta; enlace que caduca; pasar un archivo a alguien de fuera; poner la imagen en una página web',
  },
  delete_asset: {
    en: 'delete a file for good; remove a photo; erase an uploaded document; get rid of an attachment; purge file; throw the picture away; the wrong scan was uploaded, take it off; wipe a document with private data; that photo must not be kept; destroy a file; clear an old video out of storage',
    de: 'eine Datei endgültig löschen; ein Foto entfernen; hochgeladenes Dokument löschen; das Bild wegwerfen; falschen Scan wieder herausnehmen; Dokument mit privaten Daten vernichten; Foto darf nicht aufbewahrt werden',
    fr: "supprimer un fichier définitivement; effacer une photo; retirer un document envoyé; jeter la photo; le mauvais scan a été envoyé, l'enlever; détruire un document privé; ne pas conserver cette image",
    es: 'borrar un archivo para siempre; eliminar una foto; quitar un documento subido; tirar la foto; se subió el escaneo equivocado, quitarlo; destruir un documento privado; no conservar esta imagen',
  },
}
