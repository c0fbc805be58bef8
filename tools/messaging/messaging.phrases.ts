import type { Phrases } from '#platform/operation.ts'

export const messagingPhrases: Phrases = {
  send_message: {
    en: 'text somebody; ask the technician when he arrives; send an SMS to a technician; write an e-mail; ask a person a question; send a WhatsApp; notify a colleague; tell the customer we are late; ask yes or no with buttons; start a conversation; contact the person behind a record; reply to somebody in a conversation',
    de: 'jemandem schreiben; SMS an einen Techniker schicken; eine E-Mail senden; eine Person etwas fragen; Kollegen benachrichtigen',
    fr: "écrire à quelqu'un; envoyer un SMS; envoyer un e-mail; poser une question à une personne; prévenir un collègue",
    es: 'escribir a alguien; enviar un SMS; mandar un correo; preguntar algo a una persona; avisar a un compañero',
  },
  await_reply: {
    en: 'wait until somebody answers; hold on for the reply; block until the person writes back; long poll for a response; has to wait for the technician to say yes',
    de: 'auf die Antwort warten; warten, bis die Person zurückschreibt; Antwort abwarten',
    fr: "attendre la réponse; patienter jusqu'à ce que la personne réponde",
    es: 'esperar la respuesta; aguardar hasta que la persona conteste',
  },
  poll_replies: {
    en: 'has anybody answered yet; did she write back, do not wait; look for new replies without waiting; check for responses now and then; any news from the technician; non-blocking fetch of inbound messages',
    de: 'hat schon jemand geantwortet; nach neuen Antworten sehen ohne zu warten; kurz nachsehen, ob etwas kam',
    fr: "quelqu'un a-t-il déjà répondu; regarder les nouvelles réponses sans attendre; vérifier s'il y a une réponse",
    es: 'ha contestado alguien ya; mirar si hay respuestas sin esperar; comprobar si llegó algo',
  },
  end_conversation: {
    en: 'close the chat; we are finished, say goodbye; stop the dialogue; thank the person and end; finish a thread so nobody waits any more; close ticket conversation',
    de: 'das Gespräch beenden; Unterhaltung schließen; verabschieden und abschließen',
    fr: 'terminer la conversation; clore la discussion; remercier et finir',
    es: 'terminar la conversación; cerrar el chat; despedirse y acabar',
  },
  list_conversations: {
    en: 'which chats are open; all conversations with one customer; who are we waiting for; threads about a record; people who wrote to us; list message threads by state',
    de: 'welche Gespräche sind offen; alle Unterhaltungen mit einem Kunden; wer hat uns geschrieben',
    fr: 'quelles conversations sont ouvertes; toutes les discussions avec un client; qui nous a écrit',
    es: 'qué conversaciones están abiertas; todos los chats con un cliente; quién nos ha escrito',
  },
  get_conversation: {
    en: 'read the whole chat; what did we write to each other; show the messages of a conversation; transcript of a thread; earlier messages with this person',
    de: 'den ganzen Chat lesen; was wurde geschrieben; Verlauf eines Gesprächs anzeigen',
    fr: "lire toute la conversation; ce que nous nous sommes écrit; messages d'une discussion",
    es: 'leer toda la conversación; qué nos hemos escrito; mensajes de un chat',
  },
  get_message_status: {
    en: 'did my text arrive; was the message read; why was it not delivered; has the SMS gone out; delivery report of one message; message failed or suppressed, reason',
    de: 'ist meine Nachricht angekommen; wurde die SMS zugestellt; wurde sie gelesen; warum nicht zugestellt',
    fr: 'mon message est-il arrivé; le SMS a-t-il été remis; a-t-il été lu; pourquoi non distribué',
    es: 'llegó mi mensaje; se entregó el SMS; lo han leído; por qué no se entregó',
  },
  list_inbox: {
    en: 'do I have new messages; what is waiting for me; my unread messages; open my inbox; questions that I was asked; tasks addressed to me; notifications for me',
    de: 'habe ich neue Nachrichten; was wartet auf mich; mein Posteingang; ungelesene Nachrichten',
    fr: "ai-je de nouveaux messages; ma boîte de réception; mes messages non lus; ce qui m'attend",
    es: 'tengo mensajes nuevos; mi bandeja de entrada; mis mensajes sin leer; qué me espera',
  },
  answer_inbox_message: {
    en: 'reply to a message that I received; answer the question I was asked; press a button of a message to me; respond to a request in my inbox; tell them the gate is open',
    de: 'auf eine Nachricht an mich antworten; die gestellte Frage beantworten; im Posteingang antworten',
    fr: "répondre à un message reçu; répondre à la question qu'on m'a posée; répondre dans ma boîte de réception",
    es: 'responder a un mensaje que recibí; contestar la pregunta que me hicieron; responder en mi bandeja',
  },
  mark_inbox_read: {
    en: 'I have read these messages; clear the unread number; mark my notifications as seen; set inbox to read up to here',
    de: 'Nachrichten als gelesen markieren; Zähler der ungelesenen zurücksetzen; habe ich gesehen',
    fr: 'marquer mes messages comme lus; remettre à zéro les non lus; je les ai vus',
    es: 'marcar mis mensajes como leídos; poner a cero los no leídos; ya los he visto',
  },
  list_channels: {
    en: 'by which ways can we send messages; is SMS set up; which providers are configured; can this channel carry files; list communication channels and their settings',
    de: 'welche Versandwege gibt es; ist SMS eingerichtet; eingerichtete Kanäle anzeigen',
    fr: 'par quels moyens peut-on envoyer; le SMS est-il configuré; liste des canaux',
    es: 'por qué medios podemos enviar; está configurado el SMS; lista de canales',
  },
  create_channel: {
    en: 'set up SMS; connect Twilio; configure the mail server; add WhatsApp; new outgoing e-mail account; register a provider with its credentials; give us a phone number to text from; SMTP settings',
    de: 'SMS einrichten; Twilio anbinden; Mailserver konfigurieren; WhatsApp hinzufügen',
    fr: 'configurer les SMS; connecter Twilio; configurer le serveur de messagerie; ajouter WhatsApp',
    es: 'configurar SMS; conectar Twilio; configurar el servidor de correo; añadir WhatsApp',
  },
  update_channel: {
    en: 'change the settings of the SMS connection; the Twilio token changed; new sender number; another mail server password; edit channel credentials; rename a channel',
    de: 'Einstellungen des Kanals ändern; neues Passwort für den Mailserver; Twilio-Token erneuern; Absendernummer ändern',
    fr: "modifier les réglages d'un canal; nouveau mot de passe du serveur de messagerie; changer le numéro d'expéditeur",
    es: 'cambiar los ajustes de un canal; nueva contraseña del servidor de correo; cambiar el número del remitente',
  },
  delete_channel: {
    en: 'remove the SMS connection; we no longer use WhatsApp; disconnect Twilio; delete the mail server settings; drop a provider',
    de: 'Kanal löschen; Twilio trennen; wir nutzen WhatsApp nicht mehr; Mailserver entfernen',
    fr: "supprimer un canal; déconnecter Twilio; nous n'utilisons plus WhatsApp",
    es: 'eliminar un canal; desconectar Twilio; ya no usamos WhatsApp',
  },
  test_channel: {
    en: 'does sending SMS work; try the mail settings; send a trial message; is the provider accepting our credentials; check that the channel is set up right',
    de: 'funktioniert der SMS-Versand; Mail-Einstellungen ausprobieren; Testnachricht schicken',
    fr: "l'envoi de SMS fonctionne-t-il; essayer les réglages du courrier; envoyer un message d'essai",
    es: 'funciona el envío de SMS; probar los ajustes del correo; enviar un mensaje de prueba',
  },
  get_contact_preferences: {
    en: 'how does a person want to be reached; did somebody opt out; when may I not disturb Ana; quiet hours of a user; preferred channel of a person; has she unsubscribed',
    de: 'wie möchte die Person erreicht werden; hat sich jemand abgemeldet; Ruhezeiten eines Benutzers anzeigen',
    fr: "comment la personne veut-elle être jointe; quelqu'un s'est-il désabonné; heures de silence d'un utilisateur",
    es: 'cómo quiere ser contactada la persona; se ha dado de baja alguien; horas de silencio de un usuario',
  },
  set_contact_preferences: {
    en: 'do not disturb somebody at night; set quiet hours; this person does not want texts any more; prefer WhatsApp over e-mail; unsubscribe a person; change notification settings; record an opt-out; write down the quiet hours of a recipient',
    de: 'nachts nicht stören; Ruhezeiten einstellen; Person will keine SMS mehr; lieber per WhatsApp; Abmeldung eintragen',
    fr: 'ne pas déranger la nuit; régler les heures de silence; la personne ne veut plus de SMS; préférer WhatsApp; désabonner',
    es: 'no molestar de noche; poner horas de silencio; la persona no quiere más SMS; preferir WhatsApp; dar de baja',
  },
}
