import type { Phrases } from '#platform/operation.ts'

export const jobsPhrases: Phrases = {
  list_jobs: {
    en: 'what is being worked on right now; which imports failed; my background tasks; long-running work; queue of jobs; recent imports and recognitions; show asynchronous operations; what are you busy with; is anything still running in the background; which imports did I start; tasks that failed today; overview of processing; what is in the queue; past imports; did any task get stuck; all background work',
    de: 'was läuft gerade im Hintergrund; welche Importe sind fehlgeschlagen; Aufgabenliste der Verarbeitung; womit bist du beschäftigt; welche Importe habe ich gestartet; was steht in der Warteschlange; hängt irgendeine Verarbeitung; vergangene Importe',
    fr: "quels traitements sont en cours; quels imports ont échoué; tâches de fond; à quoi es-tu occupé; quels imports ai-je lancés; qu'y a-t-il dans la file; un traitement est-il bloqué; imports passés",
    es: 'qué se está procesando ahora; qué importaciones fallaron; tareas en segundo plano; con qué estás ocupado; qué importaciones lancé; qué hay en la cola; hay algún proceso atascado; importaciones pasadas',
  },
  get_job: {
    en: 'how far is the import; is the job done; progress of a background task; state and result of a job at once; how many rows are through; is it finished yet; what came out of the import; percent done; how is my upload of rows getting on; state of task 12; did the background task succeed; how long still; result of a job',
    de: 'wie weit ist der Import; ist die Verarbeitung fertig; Fortschritt anzeigen; ist es schon fertig; was kam beim Import heraus; wie viel Prozent sind geschafft; Stand von Aufgabe 12; hat die Verarbeitung geklappt',
    fr: "où en est l'import; le traitement est-il fini; progression d'une tâche; est-ce déjà fini; qu'a donné l'import; quel pourcentage est fait; état de la tâche 12; le traitement a-t-il réussi",
    es: 'cómo va la importación; ha terminado el trabajo; progreso de una tarea; ya ha terminado; qué resultó de la importación; qué porcentaje lleva; estado de la tarea 12; salió bien el proceso',
  },
  await_job: {
    en: 'wait until the import is finished; hold on for the end of a job; block until recognition is done; tell me when it is ready; long poll a background task; do not go on before the import is through; let me know once it has finished; stay until the task is over; pause till the file is loaded; sit and wait for the background work; come back when done',
    de: 'warten, bis der Import fertig ist; Ende der Verarbeitung abwarten; sag Bescheid, wenn es fertig ist; erst weitermachen, wenn der Import durch ist; bleib dran, bis die Aufgabe vorbei ist; melden, sobald die Datei geladen ist',
    fr: "attendre la fin de l'import; attendre qu'un traitement se termine; dis-moi quand c'est prêt; ne pas continuer avant la fin du chargement; rester jusqu'à ce que la tâche soit finie; prévenir dès que le fichier est chargé",
    es: 'esperar a que termine la importación; esperar el final de un trabajo; avísame cuando esté listo; no seguir hasta que acabe la carga; quedarse hasta que termine la tarea; avisar en cuanto el archivo esté cargado',
  },
  cancel_job: {
    en: 'stop the import; abort a running task; I started the wrong file, halt it; kill a background job; interrupt processing; stop it, that was the wrong spreadsheet; call the import off; break off the background task; do not load any more rows; end a stuck task; give up on the processing; hold on, do not continue the import',
    de: 'Import abbrechen; laufende Verarbeitung anhalten; falsche Datei, stoppen; halt, das war die falsche Tabelle; nicht weiter importieren; hängende Aufgabe beenden; Hintergrundaufgabe abbrechen',
    fr: "arrêter l'import; interrompre un traitement en cours; annuler une tâche; stop, ce n'était pas le bon tableur; ne plus importer; mettre fin à une tâche bloquée; abandonner le traitement",
    es: 'parar la importación; interrumpir un trabajo en curso; cancelar una tarea; alto, era la hoja equivocada; no importar más; terminar una tarea atascada; abandonar el proceso',
  },
  retry_job: {
    en: 'try the failed import again; go on where it stopped; restart a cancelled job; resume a partly done task; rerun; once more, please, the import broke off; do the failed task over; carry on with the import after the crash; have another try at loading the file; the server was down, run the task again; redo the job; pick up the import from where it broke',
    de: 'fehlgeschlagenen Import wiederholen; dort weitermachen, wo es aufhörte; abgebrochene Verarbeitung neu starten; bitte noch einmal, der Import brach ab; die gescheiterte Aufgabe nochmals ausführen; nach dem Absturz weiter importieren; Datei erneut laden lassen',
    fr: "relancer l'import échoué; reprendre là où il s'est arrêté; recommencer un traitement annulé; encore une fois, l'import s'est interrompu; refaire la tâche ratée; continuer l'import après la panne; retenter le chargement",
    es: 'repetir la importación fallida; seguir donde se paró; reiniciar un trabajo cancelado; otra vez, la importación se cortó; repetir la tarea fallida; continuar la importación tras la caída; volver a intentar la carga',
  },
  get_job_log: {
    en: 'which rows of the import failed and why; error messages of a job; log lines of a background task; what went wrong in the import; rejected lines; why did my import fail; list of bad lines in my file; which lines of the spreadsheet were not taken; what is wrong with row 17; complaints about the file; reasons for refused rows; details of a failed task; import report; error report of the file',
    de: 'welche Zeilen sind beim Import gescheitert und warum; Protokoll der Verarbeitung; Fehlermeldungen eines Jobs; warum ist mein Import gescheitert; welche Zeilen der Datei wurden nicht genommen; was stimmt mit Zeile 17 nicht; Fehlerbericht zur Datei',
    fr: "quelles lignes de l'import ont échoué et pourquoi; journal d'un traitement; messages d'erreur d'une tâche; pourquoi mon import a-t-il échoué; quelles lignes du fichier ont été refusées; qu'est-ce qui ne va pas à la ligne 17; rapport d'erreurs du fichier",
    es: 'qué filas de la importación fallaron y por qué; registro de un trabajo; mensajes de error de una tarea; por qué falló mi importación; qué líneas del archivo no se aceptaron; qué pasa con la fila 17; informe de errores del archivo',
  },
}
