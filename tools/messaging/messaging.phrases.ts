import type { Phrases } from '#platform/operation.ts'

export const messagingPhrases: Phrases = {
  send_message: {
    en: 'text somebody; ask the technician when he arrives; send an SMS to a technician; write an e-mail; ask a person a question; send a WhatsApp; notify a colleague; tell the customer we are late; ask yes or no with buttons; start a conversation; contact the person behind a record; reply to somebody in a conversation; let the crew know that the site is closed; ask Ana whether gate 4 is open; drop the customer a line; remind the foreman; get in touch with the person in charge; tell somebody urgently; call for help by text; send the photo to a colleague; inform the team; ask for permission; get a yes or no from the boss; ping a worker; write to this phone number; let him choose between options; mail this to somebody',
    de: 'jemandem schreiben; SMS an einen Techniker schicken; eine E-Mail senden; eine Person etwas fragen; Kollegen benachrichtigen; den Trupp informieren, dass die Baustelle zu ist; Ana fragen, ob Tor 4 offen ist; den Vorarbeiter erinnern; dem Kunden Bescheid geben; den Chef um Erlaubnis fragen; Foto an einen Kollegen schicken',
    fr: "écrire à quelqu'un; envoyer un SMS; envoyer un e-mail; poser une question à une personne; prévenir un collègue; informer l'équipe que le chantier est fermé; demander à Ana si la porte 4 est ouverte; rappeler quelque chose au chef d'équipe; demander l'accord du patron; envoyer la photo à un collègue",
    es: 'escribir a alguien; enviar un SMS; mandar un correo; preguntar algo a una persona; avisar a un compañero; avisar a la cuadrilla de que la obra está cerrada; preguntar a Ana si la puerta 4 está abierta; recordar algo al capataz; pedir permiso al jefe; mandar la foto a un compañero',
  },
  await_reply: {
    en: 'wait until somebody answers; hold on for the reply; block until the person writes back; long poll for a response; has to wait for the technician to say yes; do not go on until he has said yes; stay on the line till she answers; I need his decision before I continue; hang on for an answer; listen for what the person says; wait for approval; pause until the customer responds',
    de: 'auf die Antwort warten; warten, bis die Person zurückschreibt; Antwort abwarten; erst weitermachen, wenn er ja gesagt hat; dranbleiben, bis sie antwortet; auf die Freigabe warten; auf seine Entscheidung warten',
    fr: "attendre la réponse; patienter jusqu'à ce que la personne réponde; ne pas continuer avant qu'il dise oui; rester à l'écoute jusqu'à sa réponse; attendre l'accord; attendre sa décision",
    es: 'esperar la respuesta; aguardar hasta que la persona conteste; no seguir hasta que diga que sí; quedarse a la escucha hasta que responda; esperar la aprobación; esperar su decisión',
  },
  poll_replies: {
    en: 'has anybody answered yet; did she write back, do not wait; look for new replies without waiting; check for responses now and then; any news from the technician; non-blocking fetch of inbound messages; anything back from Ana; did he say something in the meantime; quick look whether a response came; what has come in since I last looked; no answer so far; is there a response already; new texts in this conversation',
    de: 'hat schon jemand geantwortet; nach neuen Antworten sehen ohne zu warten; kurz nachsehen, ob etwas kam; ist von Ana schon etwas zurückgekommen; hat er inzwischen etwas gesagt; gibt es schon eine Antwort; was kam seit dem letzten Nachsehen',
    fr: "quelqu'un a-t-il déjà répondu; regarder les nouvelles réponses sans attendre; vérifier s'il y a une réponse; Ana a-t-elle déjà réagi; a-t-il dit quelque chose entre-temps; y a-t-il déjà une réponse; qu'est-il arrivé depuis mon dernier coup d'œil",
    es: 'ha contestado alguien ya; mirar si hay respuestas sin esperar; comprobar si llegó algo; ha dicho algo Ana ya; dijo algo mientras tanto; hay ya una respuesta; qué ha llegado desde que miré',
  },
  end_conversation: {
    en: 'close the chat; we are finished, say goodbye; stop the dialogue; thank the person and end; finish a thread so nobody waits any more; close ticket conversation; that is all, thanks; we need nothing more from him; hang up; wrap the talk up; do not bother the person further; mark the chat as settled; leave the conversation; stop waiting for that person for good',
    de: 'das Gespräch beenden; Unterhaltung schließen; verabschieden und abschließen; das war alles, danke; wir brauchen nichts mehr von ihm; Chat als erledigt schließen; nicht länger mit der Person reden',
    fr: "terminer la conversation; clore la discussion; remercier et finir; c'est tout, merci; nous n'avons plus besoin de lui; clore le chat comme réglé; ne plus discuter avec la personne",
    es: 'terminar la conversación; cerrar el chat; despedirse y acabar; eso es todo, gracias; ya no necesitamos nada de él; cerrar el chat como resuelto; no hablar más con la persona',
  },
  list_conversations: {
    en: 'which chats are open; all conversations with one customer; who are we waiting for; threads about a record; people who wrote to us; list message threads by state; whom have we been talking to; who has not replied to us; find the chat about the broken pump; all talks this week; open questions to people; which technicians owe us an answer; search our correspondence; every dialogue',
    de: 'welche Gespräche sind offen; alle Unterhaltungen mit einem Kunden; wer hat uns geschrieben; mit wem haben wir gesprochen; wer hat uns noch nicht geantwortet; das Gespräch über die kaputte Pumpe finden; offene Fragen an Leute',
    fr: 'quelles conversations sont ouvertes; toutes les discussions avec un client; qui nous a écrit; avec qui avons-nous parlé; qui ne nous a pas encore répondu; trouver la discussion sur la pompe en panne; questions encore ouvertes',
    es: 'qué conversaciones están abiertas; todos los chats con un cliente; quién nos ha escrito; con quién hemos hablado; quién no nos ha contestado aún; encontrar la charla sobre la bomba averiada; preguntas abiertas a personas',
  },
  get_conversation: {
    en: 'read the whole chat; what did we write to each other; show the messages of a conversation; transcript of a thread; earlier messages with this person; what exactly did he say; show the exchange with Ana; who said what; scroll back in the chat; the whole correspondence about this job; look at the thread from the start; what was agreed with the customer',
    de: 'den ganzen Chat lesen; was wurde geschrieben; Verlauf eines Gesprächs anzeigen; was genau hat er gesagt; den Austausch mit Ana zeigen; was wurde mit dem Kunden vereinbart; Chat von Anfang an ansehen',
    fr: "lire toute la conversation; ce que nous nous sommes écrit; messages d'une discussion; qu'a-t-il dit exactement; montrer l'échange avec Ana; ce qui a été convenu avec le client; revoir le chat depuis le début",
    es: 'leer toda la conversación; qué nos hemos escrito; mensajes de un chat; qué dijo exactamente; mostrar el intercambio con Ana; qué se acordó con el cliente; ver el chat desde el principio',
  },
  get_message_status: {
    en: 'did my text arrive; was the message read; why was it not delivered; has the SMS gone out; delivery report of one message; message failed or suppressed, reason; did he get it; has my note reached her; the customer says no mail came; is the text still queued; did it bounce; proof that the message went through; was it seen; stuck in sending',
    de: 'ist meine Nachricht angekommen; wurde die SMS zugestellt; wurde sie gelesen; warum nicht zugestellt; hat er es bekommen; Kunde sagt, es kam keine Mail; hängt die SMS noch; Nachweis, dass die Nachricht durchging',
    fr: "mon message est-il arrivé; le SMS a-t-il été remis; a-t-il été lu; pourquoi non distribué; l'a-t-il reçu; le client dit n'avoir reçu aucun mail; le SMS est-il encore en attente; preuve que le message est passé",
    es: 'llegó mi mensaje; se entregó el SMS; lo han leído; por qué no se entregó; lo ha recibido; el cliente dice que no llegó el correo; sigue el SMS en cola; prueba de que el mensaje salió',
  },
  send_message_bulk: {
    en: 'tell the whole crew; text all customers on the list; the same note to many people; broadcast an announcement; mass message; notify everybody on shift; write to these fifty people; send a circular; inform all tenants of the building; one text for the entire team; blast a notice to several recipients; let all drivers know',
    de: 'der ganzen Mannschaft Bescheid geben; dieselbe Nachricht an viele; Rundschreiben senden; alle Kunden der Liste anschreiben; Massennachricht; alle Fahrer informieren; Durchsage an das ganze Team',
    fr: "prévenir toute l'équipe; le même message à plusieurs personnes; envoi groupé; écrire à tous les clients de la liste; diffuser une annonce; informer tous les chauffeurs",
    es: 'avisar a toda la cuadrilla; el mismo mensaje a muchas personas; envío masivo; escribir a todos los clientes de la lista; difundir un anuncio; informar a todos los conductores',
  },
  preview_message: {
    en: 'how will this text look by SMS; see a message before it goes out; is this too long for a text; how many SMS will it cost; draft a message without sending; show what WhatsApp would carry; does my card fit into a text; proofread before sending; how would the mail read; which channels can carry this; count the characters of a text; dry run of a message',
    de: 'wie sieht der Text als SMS aus; Nachricht vor dem Senden ansehen; ist das zu lang für eine SMS; wie viele SMS werden das; Vorschau einer Nachricht; welche Kanäle können das tragen; Nachricht entwerfen ohne zu senden',
    fr: 'à quoi ressemble ce texte en SMS; voir un message avant son envoi; est-ce trop long pour un SMS; combien de SMS cela fait; aperçu du message; quels canaux peuvent le porter; rédiger sans envoyer',
    es: 'cómo se verá este texto por SMS; ver un mensaje antes de enviarlo; es demasiado largo para un SMS; cuántos SMS serán; vista previa del mensaje; qué canales pueden llevarlo; redactar sin enviar',
  },
  resend_message: {
    en: 'send the failed message again; try that text once more; it bounced, retry it; resend; the SMS did not go out, repeat it; retry a delivery that failed; give the failed mail another go; the provider was down, send it again; repeat an undelivered notification; second try for a message; push the failed one out again',
    de: 'fehlgeschlagene Nachricht noch einmal senden; SMS erneut schicken; Zustellung wiederholen; kam nicht an, nochmal senden; Mail erneut versuchen; zweiter Versuch für eine Nachricht',
    fr: "renvoyer le message échoué; réessayer ce SMS; il n'est pas parti, le renvoyer; relancer l'envoi échoué; nouvel essai d'envoi; renvoyer le mail non distribué",
    es: 'reenviar el mensaje fallido; volver a mandar el SMS; no salió, repetirlo; reintentar la entrega fallida; segundo intento de envío; reenviar el correo no entregado',
  },
  list_inbox: {
    en: 'do I have new messages; what is waiting for me; my unread messages; open my inbox; questions that I was asked; tasks addressed to me; notifications for me; what does the office want from me; anything for me; questions I still have to answer; show what was sent to me; messages I have not opened; my post; who wrote to me; what am I supposed to do, says my inbox',
    de: 'habe ich neue Nachrichten; was wartet auf mich; mein Posteingang; ungelesene Nachrichten; was will das Büro von mir; ist etwas für mich da; Fragen, die ich noch beantworten muss; wer hat mir geschrieben',
    fr: "ai-je de nouveaux messages; ma boîte de réception; mes messages non lus; ce qui m'attend; que veut le bureau de moi; y a-t-il quelque chose pour moi; questions auxquelles je dois encore répondre; qui m'a écrit",
    es: 'tengo mensajes nuevos; mi bandeja de entrada; mis mensajes sin leer; qué me espera; qué quiere la oficina de mí; hay algo para mí; preguntas que aún debo contestar; quién me ha escrito',
  },
  answer_inbox_message: {
    en: 'reply to a message that I received; answer the question I was asked; press a button of a message to me; respond to a request in my inbox; tell them the gate is open; say yes to the question from the office; tell the dispatcher I am on my way; confirm what they asked me; pick an option in a message I got; send my answer back with a photo; respond as a field worker; decline the request that came to me',
    de: 'auf eine Nachricht an mich antworten; die gestellte Frage beantworten; im Posteingang antworten; dem Disponenten sagen, dass ich unterwegs bin; bestätigen, was ich gefragt wurde; Antwort mit Foto zurückschicken; die Anfrage an mich ablehnen',
    fr: "répondre à un message reçu; répondre à la question qu'on m'a posée; répondre dans ma boîte de réception; dire au répartiteur que je suis en route; confirmer ce qu'on m'a demandé; renvoyer ma réponse avec une photo; refuser la demande reçue",
    es: 'responder a un mensaje que recibí; contestar la pregunta que me hicieron; responder en mi bandeja; decir al coordinador que voy en camino; confirmar lo que me preguntaron; devolver mi respuesta con una foto; rechazar la petición recibida',
  },
  mark_inbox_read: {
    en: 'I have read these messages; clear the unread number; mark my notifications as seen; set inbox to read up to here; tick my messages off; the red number should go away; I am up to date with my post; no longer show these as new; seen, thanks; dismiss notifications; acknowledge everything in the inbox',
    de: 'Nachrichten als gelesen markieren; Zähler der ungelesenen zurücksetzen; habe ich gesehen; meine Nachrichten abhaken; die rote Zahl soll verschwinden; nicht mehr als neu anzeigen',
    fr: 'marquer mes messages comme lus; remettre à zéro les non lus; je les ai vus; cocher mes messages; le chiffre rouge doit disparaître; ne plus les montrer comme nouveaux',
    es: 'marcar mis mensajes como leídos; poner a cero los no leídos; ya los he visto; dar por vistos mis mensajes; que desaparezca el número rojo; no mostrarlos más como nuevos',
  },
  list_channels: {
    en: 'by which ways can we send messages; is SMS set up; which providers are configured; can this channel carry files; list communication channels and their settings; can we text people at all; how do our messages go out; which phone number do we send from; is WhatsApp there; which mail server is used; what ways of reaching people are set up; sender addresses',
    de: 'welche Versandwege gibt es; ist SMS eingerichtet; eingerichtete Kanäle anzeigen; können wir überhaupt SMS schicken; von welcher Nummer senden wir; welcher Mailserver wird benutzt; gibt es WhatsApp',
    fr: 'par quels moyens peut-on envoyer; le SMS est-il configuré; liste des canaux; peut-on envoyer des SMS; de quel numéro envoyons-nous; quel serveur de messagerie est utilisé; avons-nous WhatsApp',
    es: 'por qué medios podemos enviar; está configurado el SMS; lista de canales; podemos mandar SMS; desde qué número enviamos; qué servidor de correo se usa; tenemos WhatsApp',
  },
  create_channel: {
    en: 'set up SMS; connect Twilio; configure the mail server; add WhatsApp; new outgoing e-mail account; register a provider with its credentials; give us a phone number to text from; SMTP settings; we want to be able to text people; hook up our mailbox; make WhatsApp work; let the system send e-mail through our server; enter the Twilio account; register a new way of sending; get texting going; add a second sender',
    de: 'SMS einrichten; Twilio anbinden; Mailserver konfigurieren; WhatsApp hinzufügen; wir wollen Leuten SMS schicken können; unser Postfach anschließen; WhatsApp zum Laufen bringen; Twilio-Konto eintragen; E-Mail über unseren Server senden',
    fr: 'configurer les SMS; connecter Twilio; configurer le serveur de messagerie; ajouter WhatsApp; nous voulons pouvoir envoyer des SMS; brancher notre boîte mail; faire marcher WhatsApp; saisir le compte Twilio; envoyer des e-mails par notre serveur',
    es: 'configurar SMS; conectar Twilio; configurar el servidor de correo; añadir WhatsApp; queremos poder mandar SMS; conectar nuestro buzón; poner en marcha WhatsApp; introducir la cuenta de Twilio; enviar correo por nuestro servidor',
  },
  update_channel: {
    en: 'change the settings of the SMS connection; the Twilio token changed; new sender number; another mail server password; edit channel credentials; rename a channel; our provider gave us a new password; text from a different number; the SMTP host moved; switch a way of sending off for a while; correct the mail account that is set up; new auth token for texting; make this channel the default; edit the help text that HELP answers',
    de: 'Einstellungen des Kanals ändern; neues Passwort für den Mailserver; Twilio-Token erneuern; Absendernummer ändern; Anbieter hat uns ein neues Passwort gegeben; von einer anderen Nummer senden; SMTP-Server ist umgezogen; Versandweg vorübergehend abschalten',
    fr: "modifier les réglages d'un canal; nouveau mot de passe du serveur de messagerie; changer le numéro d'expéditeur; le fournisseur nous a donné un nouveau mot de passe; envoyer depuis un autre numéro; le serveur SMTP a changé; couper un canal pour un temps",
    es: 'cambiar los ajustes de un canal; nueva contraseña del servidor de correo; cambiar el número del remitente; el proveedor nos dio otra contraseña; enviar desde otro número; el servidor SMTP cambió; apagar un canal por un tiempo',
  },
  delete_channel: {
    en: 'remove the SMS connection; we no longer use WhatsApp; disconnect Twilio; delete the mail server settings; drop a provider; no more texting, take it out; we left that SMS provider; get rid of the mail account for sending; throw a way of sending away; WhatsApp shall go; uninstall a message provider',
    de: 'Kanal löschen; Twilio trennen; wir nutzen WhatsApp nicht mehr; Mailserver entfernen; keine SMS mehr, herausnehmen; wir haben den SMS-Anbieter verlassen; Mailkonto für den Versand entfernen; WhatsApp soll weg',
    fr: "supprimer un canal; déconnecter Twilio; nous n'utilisons plus WhatsApp; plus de SMS, à retirer; nous avons quitté ce fournisseur; enlever le compte d'envoi de mails; WhatsApp doit partir",
    es: 'eliminar un canal; desconectar Twilio; ya no usamos WhatsApp; no más SMS, quitarlo; dejamos ese proveedor; quitar la cuenta de envío de correo; WhatsApp fuera',
  },
  test_channel: {
    en: 'does sending SMS work; try the mail settings; send a trial message; is the provider accepting our credentials; check that the channel is set up right; is texting working; see whether mails get out; try whether the password of the mail server is right; send me a sample text; verify the Twilio account; check the connection to the provider; why do no mails go out, test it',
    de: 'funktioniert der SMS-Versand; Mail-Einstellungen ausprobieren; Testnachricht schicken; kommen unsere Mails hinaus; stimmt das Passwort des Mailservers; schick mir eine Probe-SMS; Verbindung zum Anbieter prüfen',
    fr: "l'envoi de SMS fonctionne-t-il; essayer les réglages du courrier; envoyer un message d'essai; nos mails partent-ils; le mot de passe du serveur de mail est-il bon; envoyez-moi un SMS d'essai; vérifier la connexion au fournisseur",
    es: 'funciona el envío de SMS; probar los ajustes del correo; enviar un mensaje de prueba; salen nuestros correos; es correcta la contraseña del servidor de correo; mándame un SMS de prueba; comprobar la conexión con el proveedor',
  },
  get_contact_preferences: {
    en: 'how does a person want to be reached; did somebody opt out; when may I not disturb Ana; quiet hours of a user; preferred channel of a person; has she unsubscribed; may I write to her now; does she like texts or mails; at which hours is he off; has this customer said STOP; how is the best way to reach him; is it all right to message at night',
    de: 'wie möchte die Person erreicht werden; hat sich jemand abgemeldet; Ruhezeiten eines Benutzers anzeigen; darf ich ihr jetzt schreiben; mag sie lieber SMS oder Mail; hat der Kunde STOP gesagt; wie erreicht man ihn am besten',
    fr: "comment la personne veut-elle être jointe; quelqu'un s'est-il désabonné; heures de silence d'un utilisateur; puis-je lui écrire maintenant; préfère-t-elle les SMS ou les mails; le client a-t-il dit STOP; comment le joindre au mieux",
    es: 'cómo quiere ser contactada la persona; se ha dado de baja alguien; horas de silencio de un usuario; puedo escribirle ahora; prefiere SMS o correo; ha dicho STOP el cliente; cuál es la mejor forma de contactarle',
  },
  set_contact_preferences: {
    en: 'do not disturb somebody at night; set quiet hours; this person does not want texts any more; prefer WhatsApp over e-mail; unsubscribe a person; change notification settings; record an opt-out; write down the quiet hours of a recipient; leave Ana alone after nine in the evening; no messages at the weekend; she wants mails rather than texts; he is off at night; take her off the list of those who get texts; only urgent things may get through; note how somebody wants to be reached; never write to this person by SMS again',
    de: 'nachts nicht stören; Ruhezeiten einstellen; Person will keine SMS mehr; lieber per WhatsApp; Abmeldung eintragen; Ana nach neun Uhr abends in Ruhe lassen; sie will lieber Mails als SMS; nur Dringendes durchlassen; keine SMS mehr an diese Person; notieren, wie jemand erreicht werden will',
    fr: "ne pas déranger la nuit; régler les heures de silence; la personne ne veut plus de SMS; préférer WhatsApp; désabonner; laisser Ana tranquille après neuf heures du soir; elle préfère les mails aux SMS; ne laisser passer que l'urgent; noter comment joindre quelqu'un; plus de SMS à cette personne",
    es: 'no molestar de noche; poner horas de silencio; la persona no quiere más SMS; preferir WhatsApp; dar de baja; dejar tranquila a Ana después de las nueve de la noche; prefiere correos a SMS; dejar pasar solo lo urgente; anotar cómo quiere ser contactado alguien; no más SMS a esta persona',
  },
}
