import type { Phrases } from '#platform/operation.ts'

export const eventsPhrases: Phrases = {
  list_event_kinds: {
    en: 'which events are there; what can a webhook tell us; kinds of events with their payload; what does the event body look like; schema of an event; which notifications could our system get; what can we be told about; event catalogue; fields of a webhook body; list of event types; is there an event for a submitted form',
    de: 'welche Ereignisse gibt es; was kann ein Webhook melden; Arten von Ereignissen mit Inhalt; wie sieht der Rumpf eines Webhooks aus; Schema eines Ereignisses; Katalog der Ereignisse',
    fr: 'quels événements existent; que peut annoncer un webhook; types d’événements avec leur contenu; à quoi ressemble le corps du webhook; schéma d’un événement; catalogue des événements',
    es: 'qué eventos hay; qué puede avisar un webhook; tipos de eventos con su contenido; cómo es el cuerpo del webhook; esquema de un evento; catálogo de eventos',
  },
  list_events: {
    en: 'what happened today; log of events; which events were emitted; show everything that happened since noon; what was told to the outside; stream of what happened; events of the last hour; did an event fire; recent happenings in the system; feed of events; which orders changed today, as events',
    de: 'was ist heute passiert; Protokoll der Ereignisse; welche Ereignisse wurden gemeldet; was geschah seit Mittag; Ereignisse der letzten Stunde; wurde ein Ereignis ausgelöst',
    fr: 'que s’est-il passé aujourd’hui; journal des événements; quels événements ont été émis; que s’est-il passé depuis midi; événements de la dernière heure; un événement a-t-il été déclenché',
    es: 'qué pasó hoy; registro de eventos; qué eventos se emitieron; qué ocurrió desde el mediodía; eventos de la última hora; se disparó un evento',
  },
  list_event_subscriptions: {
    en: 'which systems are told of our events; show our webhooks; list outbound webhooks; who gets notified over HTTP; was a webhook switched off; where do our events go; overview of webhook endpoints; why do we get no webhooks any more; registered callback addresses; all webhook receivers; is our webhook still on',
    de: 'welche Webhooks sind eingerichtet; wohin gehen unsere Ereignisse; Empfänger von Ereignissen auflisten; wurde ein Webhook abgeschaltet; Übersicht der Webhook-Adressen; warum kommt kein Webhook mehr',
    fr: 'quels webhooks sont configurés; où vont nos événements; lister les destinataires des événements; un webhook a-t-il été coupé; aperçu des adresses de webhook; pourquoi ne recevons-nous plus de webhook',
    es: 'qué webhooks hay configurados; adónde van nuestros eventos; listar los receptores de eventos; se apagó un webhook; resumen de direcciones de webhook; por qué ya no llega ningún webhook',
  },
  create_event_subscription: {
    en: 'call our server when an order changes; add a webhook; notify another system of changes; push changes to our URL; set up an outbound webhook; tell the ERP when something is done; subscribe to changed records; send an HTTP callback on each new entry; hook our backend up to events; register a webhook endpoint; be notified when a form comes in',
    de: 'unseren Server rufen, wenn sich ein Auftrag ändert; Webhook einrichten; anderes System über Änderungen benachrichtigen; Änderungen an unsere URL schicken; Ereignisse abonnieren; ERP verständigen, wenn etwas fertig ist',
    fr: 'appeler notre serveur quand une commande change; ajouter un webhook; prévenir un autre système des modifications; envoyer les changements à notre URL; s’abonner à des événements; avertir l’ERP quand c’est terminé',
    es: 'llamar a nuestro servidor cuando cambia un pedido; añadir un webhook; avisar a otro sistema de los cambios; enviar los cambios a nuestra URL; suscribirse a eventos; avisar al ERP cuando algo termina',
  },
  update_event_subscription: {
    en: 'change the address of a webhook; switch a webhook off; pause the webhook; turn the webhook on again; send other kinds of events too; webhook moved to another URL; narrow a webhook to one entity; re-enable a disabled webhook; stop the callbacks for an hour; rename a webhook; edit which events the ERP gets',
    de: 'Adresse eines Webhooks ändern; Webhook abschalten; Webhook pausieren; Webhook wieder einschalten; der Webhook soll andere Ereignisse bekommen; Webhook auf eine Entität einschränken',
    fr: 'changer l’adresse d’un webhook; couper un webhook; mettre le webhook en pause; remettre le webhook en marche; envoyer d’autres événements au webhook; limiter un webhook à une entité',
    es: 'cambiar la dirección de un webhook; apagar un webhook; pausar el webhook; volver a encender el webhook; enviar otros eventos al webhook; limitar un webhook a una entidad',
  },
  delete_event_subscription: {
    en: 'remove a webhook; delete the webhook of the old ERP; stop sending events for good; get rid of an outbound webhook; unsubscribe a system from events; the receiver is gone, drop its webhook; cancel the event subscription; take away a webhook endpoint; we no longer need this webhook; tear down the callback; forget a webhook receiver',
    de: 'Webhook löschen; Webhook des alten ERP entfernen; keine Ereignisse mehr dorthin schicken; Abonnement von Ereignissen kündigen; Empfänger gibt es nicht mehr; diesen Webhook brauchen wir nicht mehr',
    fr: 'supprimer un webhook; retirer le webhook de l’ancien ERP; ne plus jamais y envoyer d’événements; résilier l’abonnement aux événements; le destinataire n’existe plus; ce webhook ne sert plus',
    es: 'borrar un webhook; quitar el webhook del ERP antiguo; no enviar más eventos allí; cancelar la suscripción a eventos; el receptor ya no existe; este webhook ya no hace falta',
  },
  test_event_subscription: {
    en: 'try the webhook out; send a sample event; does our endpoint answer; ping the webhook; check that our receiver understands the webhook; fire a test webhook; send a fake event to our server; is the webhook reachable; trial delivery of an event; verify the signature with a test event; dry run of the webhook',
    de: 'Webhook ausprobieren; Beispielereignis schicken; antwortet unser Empfänger; Probezustellung eines Ereignisses; Webhook testen; ist der Webhook erreichbar',
    fr: 'essayer le webhook; envoyer un événement d’exemple; notre serveur répond-il au webhook; livraison d’essai d’un événement; tester le webhook; le webhook est-il joignable',
    es: 'probar el webhook; enviar un evento de muestra; responde nuestro receptor; entrega de prueba de un evento; test del webhook; se puede alcanzar el webhook',
  },
  list_event_deliveries: {
    en: 'did the webhook arrive; which webhook calls failed; status codes that our endpoint answered; failed deliveries of events; log of webhook calls; why was an event not delivered; when is the next retry of the webhook; dead letters of webhooks; how did our server answer the webhook; attempts of a delivery; what was sent to the ERP',
    de: 'kam der Webhook an; welche Webhook-Aufrufe sind gescheitert; Protokoll der Zustellungen; warum wurde ein Ereignis nicht zugestellt; wann wird der Webhook wieder versucht; was hat unser Server auf den Webhook geantwortet',
    fr: 'le webhook est-il arrivé; quels appels de webhook ont échoué; journal des livraisons d’événements; pourquoi un événement n’a-t-il pas été livré; quand le webhook sera-t-il réessayé; qu’a répondu notre serveur au webhook',
    es: 'llegó el webhook; qué llamadas de webhook fallaron; registro de entregas de eventos; por qué no se entregó un evento; cuándo se reintenta el webhook; qué respondió nuestro servidor al webhook',
  },
  redeliver_event: {
    en: 'send the webhook again; our server was down, repeat the event; replay a missed event; resend a failed delivery; deliver a dead letter once more; we lost a webhook, give it again; push the event to the ERP another time; retry a webhook now; repeat a callback; we missed an event, resend; redo a webhook delivery',
    de: 'Webhook noch einmal schicken; unser Server war aus, Ereignis wiederholen; verpasstes Ereignis nachliefern; gescheiterte Zustellung wiederholen; Webhook jetzt erneut versuchen; das Ereignis dem ERP nochmals senden',
    fr: 'renvoyer le webhook; notre serveur était en panne, répéter l’événement; rejouer un événement manqué; refaire une livraison échouée; réessayer le webhook maintenant; renvoyer l’événement à l’ERP',
    es: 'enviar otra vez el webhook; nuestro servidor estaba caído, repetir el evento; reenviar un evento perdido; repetir una entrega fallida; reintentar el webhook ahora; volver a enviar el evento al ERP',
  },
  rotate_event_subscription_secret: {
    en: 'new signing secret for the webhook; the webhook secret leaked; change the whsec key; rotate the secret of a webhook; renew the signature key; replace the key that signs events; our webhook secret was published; swap the signing key without losing events; lost the webhook secret; make another webhook secret; two signatures for a while',
    de: 'neues Geheimnis für den Webhook; Webhook-Schlüssel ist bekannt geworden; Signaturschlüssel wechseln; Geheimnis des Webhooks erneuern; Webhook-Geheimnis verloren; Schlüssel tauschen ohne verlorene Ereignisse',
    fr: 'nouveau secret pour le webhook; le secret du webhook a fuité; changer la clé de signature; renouveler le secret du webhook; secret du webhook perdu; remplacer la clé sans perdre d’événement',
    es: 'nuevo secreto para el webhook; se filtró el secreto del webhook; cambiar la clave de firma; renovar el secreto del webhook; perdí el secreto del webhook; sustituir la clave sin perder eventos',
  },
}
