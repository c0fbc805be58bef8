import type { Phrases } from '#platform/operation.ts'

export const linkPhrases: Phrases = {
  create_signed_link: {
    en: 'send somebody without an account a form to fill in; text the customer a web page to answer once; mail a questionnaire to an outsider; one-time link for a signature; let the tenant of the flat report the damage by phone; get a link that I can paste into a chat; ask a subcontractor for photos through a web form; have the driver sign without logging in; invite a visitor to fill in the safety sheet; link that expires in three days; let someone outside correct this record; guest form for one person; let the customer approve by a link without an account; send the open task to somebody outside',
    de: 'jemandem ohne Konto ein Formular zum Ausfüllen schicken; dem Kunden per SMS eine Seite zum Antworten senden; Fragebogen an Außenstehende mailen; Einmal-Link für eine Unterschrift; Link zum Formular, den ich in den Chat kopieren kann; Fremdfirma um Fotos über ein Webformular bitten; Gast soll einmal ein Formular ausfüllen',
    fr: 'envoyer un formulaire à remplir à quelqu’un sans compte; envoyer au client par SMS une page à remplir une fois; lien à usage unique pour une signature; questionnaire par courriel à une personne externe; lien de formulaire à coller dans une discussion; demander des photos à un sous-traitant par une page web; formulaire pour un visiteur',
    es: 'enviar un formulario a alguien sin cuenta; mandar al cliente por SMS una página para contestar una vez; enlace de un solo uso para una firma; cuestionario por correo a una persona externa; enlace al formulario para pegar en un chat; pedir fotos a una subcontrata por una página web; formulario para un visitante',
  },
  list_signed_links: {
    en: 'who has not filled in the page that we sent; which guest links are still open; was the link to the customer answered; when did the outsider send the questionnaire back; links that expired unused; who made this record by a link; which web forms did I hand out; overview of invitations to fill in something; what came of the link to Ana; outstanding answers from people without an account; which record did the visitor create',
    de: 'wer hat die zugeschickte Seite noch nicht ausgefüllt; welche Gast-Links sind noch offen; wurde der Link an den Kunden beantwortet; unbenutzt abgelaufene Links; welche Webformulare habe ich verschickt; was wurde aus dem Link an Ana; ausstehende Antworten von Leuten ohne Konto',
    fr: 'qui n’a pas encore rempli la page envoyée; quels liens invités sont encore ouverts; le client a-t-il répondu par le lien; liens expirés sans réponse; quels formulaires web ai-je distribués; qu’est devenu le lien envoyé à Ana; réponses attendues de personnes sans compte',
    es: 'quién no ha rellenado aún la página enviada; qué enlaces de invitado siguen abiertos; contestó el cliente por el enlace; enlaces caducados sin usar; qué formularios web he repartido; qué fue del enlace enviado a Ana; respuestas pendientes de personas sin cuenta',
  },
  revoke_signed_link: {
    en: 'the form went to the wrong person, make its link useless; take back the guest link; cancel the invitation to fill in the page; the outsider should no longer be able to answer; stop a one-time link; the link leaked, end it; withdraw the web form that I texted; we do not need the signature any more, close the link; block an unanswered link; undo handing out the questionnaire; disable the page of the visitor',
    de: 'das Formular ging an den Falschen, Link unbrauchbar machen; Gast-Link zurückziehen; Einladung zum Ausfüllen widerrufen; Außenstehender soll nicht mehr antworten können; Einmal-Link sperren; der Link ist in falsche Hände geraten; verschicktes Webformular zurücknehmen',
    fr: 'le formulaire est parti à la mauvaise personne, annuler son lien; retirer le lien invité; la personne externe ne doit plus pouvoir répondre; bloquer un lien à usage unique; le lien a fuité, y mettre fin; retirer la page envoyée par SMS; fermer un lien sans réponse',
    es: 'el formulario fue a la persona equivocada, anular su enlace; retirar el enlace de invitado; la persona externa ya no debe poder contestar; bloquear un enlace de un solo uso; el enlace se filtró, terminarlo; retirar la página enviada por SMS; cerrar un enlace sin respuesta',
  },
}
