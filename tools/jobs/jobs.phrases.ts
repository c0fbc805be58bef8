import type { Phrases } from '#platform/operation.ts'

export const jobsPhrases: Phrases = {
  list_jobs: {
    en: 'what is being worked on right now; which imports failed; my background tasks; long-running work; queue of jobs; recent imports and recognitions; show asynchronous operations',
    de: 'was läuft gerade im Hintergrund; welche Importe sind fehlgeschlagen; Aufgabenliste der Verarbeitung',
    fr: 'quels traitements sont en cours; quels imports ont échoué; tâches de fond',
    es: 'qué se está procesando ahora; qué importaciones fallaron; tareas en segundo plano',
  },
  get_job: {
    en: 'how far is the import; is the job done; progress of a background task; state and result of a job at once; how many rows are through',
    de: 'wie weit ist der Import; ist die Verarbeitung fertig; Fortschritt anzeigen',
    fr: "où en est l'import; le traitement est-il fini; progression d'une tâche",
    es: 'cómo va la importación; ha terminado el trabajo; progreso de una tarea',
  },
  await_job: {
    en: 'wait until the import is finished; hold on for the end of a job; block until recognition is done; tell me when it is ready; long poll a background task',
    de: 'warten, bis der Import fertig ist; Ende der Verarbeitung abwarten; sag Bescheid, wenn es fertig ist',
    fr: "attendre la fin de l'import; attendre qu'un traitement se termine; dis-moi quand c'est prêt",
    es: 'esperar a que termine la importación; esperar el final de un trabajo; avísame cuando esté listo',
  },
  cancel_job: {
    en: 'stop the import; abort a running task; I started the wrong file, halt it; kill a background job; interrupt processing',
    de: 'Import abbrechen; laufende Verarbeitung anhalten; falsche Datei, stoppen',
    fr: "arrêter l'import; interrompre un traitement en cours; annuler une tâche",
    es: 'parar la importación; interrumpir un trabajo en curso; cancelar una tarea',
  },
  retry_job: {
    en: 'try the failed import again; go on where it stopped; restart a cancelled job; resume a partly done task; rerun',
    de: 'fehlgeschlagenen Import wiederholen; dort weitermachen, wo es aufhörte; abgebrochene Verarbeitung neu starten',
    fr: "relancer l'import échoué; reprendre là où il s'est arrêté; recommencer un traitement annulé",
    es: 'repetir la importación fallida; seguir donde se paró; reiniciar un trabajo cancelado',
  },
  get_job_log: {
    en: 'which rows of the import failed and why; error messages of a job; log lines of a background task; what went wrong in the import; rejected lines',
    de: 'welche Zeilen sind beim Import gescheitert und warum; Protokoll der Verarbeitung; Fehlermeldungen eines Jobs',
    fr: "quelles lignes de l'import ont échoué et pourquoi; journal d'un traitement; messages d'erreur d'une tâche",
    es: 'qué filas de la importación fallaron y por qué; registro de un trabajo; mensajes de error de una tarea',
  },
}
