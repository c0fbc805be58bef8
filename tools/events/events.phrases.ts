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
}
