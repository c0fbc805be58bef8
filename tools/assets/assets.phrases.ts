import type { Phrases } from '#platform/operation.ts'

export const assetsPhrases: Phrases = {
  upload_asset: {
    en: 'send a small file in this call; upload a photo; store a picture or PDF given as base64; keep a document; save a scan; add a file; put bytes inline; I have the content of a file here',
    de: 'eine Datei hochladen; ein Foto ablegen; ein Dokument speichern; kleine Datei direkt mitschicken',
    fr: "envoyer un fichier; téléverser une photo; conserver un document; petit fichier directement dans l'appel",
    es: 'subir un archivo; guardar una foto; conservar un documento; archivo pequeño directamente en la llamada',
  },
  create_upload_url: {
    en: 'where can I upload a large file; address to PUT a file to; upload a video or big spreadsheet; send a file with curl; presigned upload link; prepare an upload for the browser; a file to import later',
    de: 'Adresse zum Hochladen einer großen Datei; Link, an den eine Datei geschickt wird; großes Video hochladen',
    fr: "adresse pour envoyer un gros fichier; lien de téléversement; déposer une grande vidéo; URL d'envoi présignée",
    es: 'dirección para subir un archivo grande; enlace de subida; enviar un vídeo grande; URL de subida prefirmada',
  },
  get_asset: {
    en: 'what kind of file is this; size and type of a file; when was it uploaded; file name and details; metadata of one attachment; has the upload arrived',
    de: 'was ist das für eine Datei; Größe und Typ einer Datei; Angaben zu einem Anhang',
    fr: "quel est ce fichier; taille et type d'un fichier; informations sur une pièce jointe",
    es: 'qué archivo es este; tamaño y tipo de un archivo; datos de un adjunto',
  },
  list_assets: {
    en: 'which files do we have; find a photo by its name; all uploaded documents; recent uploads; search files by title; browse attachments, media library',
    de: 'welche Dateien haben wir; eine Datei nach Namen suchen; alle hochgeladenen Dokumente',
    fr: 'quels fichiers avons-nous; chercher un fichier par son nom; tous les documents envoyés',
    es: 'qué archivos tenemos; buscar un archivo por su nombre; todos los documentos subidos',
  },
  download_asset: {
    en: 'give me the file; download a photo; get the bytes of a document; save the attachment to my disk; open the PDF; retrieve file content',
    de: 'Datei herunterladen; das Foto holen; Inhalt eines Dokuments abrufen; Anhang öffnen',
    fr: "télécharger le fichier; récupérer la photo; obtenir le contenu d'un document; ouvrir la pièce jointe",
    es: 'descargar el archivo; obtener la foto; contenido de un documento; abrir el adjunto',
  },
  sign_asset_url: {
    en: 'link to a file that works without logging in; share a picture for a few minutes; temporary download link; signed URL to show an image in a browser; send somebody a link to the document; presigned GET',
    de: 'Link zu einer Datei, der ohne Anmeldung geht; Bild kurzzeitig teilen; befristeter Downloadlink',
    fr: 'lien vers un fichier sans connexion; partager une image quelques minutes; lien de téléchargement temporaire',
    es: 'enlace a un archivo sin iniciar sesión; compartir una imagen unos minutos; enlace de descarga temporal',
  },
  delete_asset: {
    en: 'delete a file for good; remove a photo; erase an uploaded document; get rid of an attachment; purge file',
    de: 'eine Datei endgültig löschen; ein Foto entfernen; hochgeladenes Dokument löschen',
    fr: 'supprimer un fichier définitivement; effacer une photo; retirer un document envoyé',
    es: 'borrar un archivo para siempre; eliminar una foto; quitar un documento subido',
  },
}
