import type { Phrases } from '#platform/operation.ts'

export const runsPhrases: Phrases = {
  start_workflow: {
    en: 'kick off the review of this inspection; start the approval process for an order; run the onboarding flow now; launch a workflow by hand; begin the process for this record; trigger the escalation for ticket 12 myself; get the flow going with these inputs; start a run; set the approval in motion; put this record through the process',
    de: 'die Prüfung für diese Inspektion anstoßen; den Freigabeprozess für einen Auftrag starten; einen Workflow von Hand starten; den Ablauf jetzt laufen lassen; für diesen Datensatz einen Lauf beginnen; die Eskalation selbst auslösen',
    fr: "lancer la vérification de cette inspection; démarrer le processus d'approbation d'une commande; lancer un workflow à la main; faire tourner le flux maintenant; commencer une exécution pour cette fiche; déclencher moi-même l'escalade",
    es: 'iniciar la revisión de esta inspección; arrancar el proceso de aprobación de un pedido; lanzar un flujo a mano; ejecutar el flujo ahora; comenzar una ejecución para este registro; disparar yo mismo la escalada',
  },
  list_workflow_instances: {
    en: 'which runs are under way; list all runs of the review flow; what processes are running for this order; which approvals failed last night; show runs that wait; runs assigned to Ana; which flows are stuck; history of runs about this record; all cancelled runs; how many processes are in progress',
    de: 'welche Läufe sind im Gange; alle Läufe eines Workflows auflisten; welche Prozesse laufen für diesen Auftrag; welche Läufe sind fehlgeschlagen; Läufe zeigen, die warten; welche Abläufe hängen',
    fr: 'quelles exécutions sont en cours; lister les exécutions du flux; quels processus tournent pour cette commande; quelles exécutions ont échoué; montrer celles qui attendent; quels flux sont bloqués',
    es: 'qué ejecuciones están en curso; listar las ejecuciones del flujo; qué procesos corren para este pedido; qué ejecuciones fallaron; mostrar las que esperan; qué flujos están atascados',
  },
  get_workflow_instance: {
    en: 'where does this run stand; what is the approval of order 7 waiting for; who has to act on this run; state of one run; has the process finished; why did this run fail; current step of a run; variables of a run; is the review still open; look at run 77',
    de: 'wo steht dieser Lauf; worauf wartet die Freigabe; wer muss bei diesem Lauf handeln; Zustand eines Laufs; ist der Prozess fertig; warum ist dieser Lauf fehlgeschlagen',
    fr: "où en est cette exécution; qu'attend l'approbation; qui doit agir sur cette exécution; état d'une exécution; le processus est-il fini; pourquoi cette exécution a-t-elle échoué",
    es: 'en qué punto está esta ejecución; qué espera la aprobación; quién debe actuar en esta ejecución; estado de una ejecución; ha terminado el proceso; por qué falló esta ejecución',
  },
  get_workflow_instance_log: {
    en: 'what did this run do step by step; who approved it and when; log of a run; which step took so long; what did the step send; trace of the process for this order; show every event of run 77; who commented on the run; how often was the step retried; audit trail of an approval',
    de: 'was hat dieser Lauf Schritt für Schritt getan; wer hat wann freigegeben; Protokoll eines Laufs; welcher Schritt hat so lange gedauert; was hat der Schritt gesendet; wie oft wurde der Schritt wiederholt',
    fr: "qu'a fait cette exécution étape par étape; qui a approuvé et quand; journal d'une exécution; quelle étape a duré si longtemps; qu'a envoyé l'étape; combien de fois l'étape a-t-elle été réessayée",
    es: 'qué hizo esta ejecución paso a paso; quién aprobó y cuándo; registro de una ejecución; qué paso tardó tanto; qué envió el paso; cuántas veces se reintentó el paso',
  },
  act_on_workflow_instance: {
    en: 'approve this; reject the inspection with a comment; press the button of my task; fill in the form that the process asks me for; say yes to the approval; complete my step; answer the task that waits for me; submit the task form; decide on this request; sign off the order',
    de: 'das freigeben; die Inspektion mit Kommentar ablehnen; meine Aufgabe erledigen; das Formular der Aufgabe ausfüllen; der Freigabe zustimmen; meinen Schritt abschließen',
    fr: "approuver cela; rejeter l'inspection avec un commentaire; faire ma tâche; remplir le formulaire de la tâche; dire oui à l'approbation; terminer mon étape",
    es: 'aprobar esto; rechazar la inspección con un comentario; hacer mi tarea; rellenar el formulario de la tarea; decir sí a la aprobación; completar mi paso',
  },
  assign_workflow_instance: {
    en: 'give this task to Ana; reassign the approval; somebody else should check this; hand my task over to a colleague; assign the waiting step to user 12; Ben is on holiday, let Ana decide; change who has to approve; route the review to another person; who shall do it: Carla; take the task over for me',
    de: 'diese Aufgabe Ana geben; die Freigabe jemand anderem zuweisen; meine Aufgabe an einen Kollegen übergeben; den wartenden Schritt zuweisen; wer freigeben muss ändern; die Prüfung soll eine andere Person machen',
    fr: "donner cette tâche à Ana; réattribuer l'approbation; passer ma tâche à un collègue; attribuer l'étape en attente; changer qui doit approuver; une autre personne doit vérifier",
    es: 'dar esta tarea a Ana; reasignar la aprobación; pasar mi tarea a un compañero; asignar el paso que espera; cambiar quién debe aprobar; que otra persona lo revise',
  },
  comment_workflow_instance: {
    en: 'leave a remark on this run; note that the customer called about the approval; add a comment to the process; write something into the log of a run; remark for whoever approves; annotate the review; tell the others on this run why it takes long; put a note on run 77; say something about the process; comment on the approval',
    de: 'eine Bemerkung zu diesem Lauf hinterlassen; einen Kommentar zum Prozess schreiben; etwas ins Protokoll des Laufs schreiben; notieren, dass der Kunde zur Freigabe anrief; Anmerkung für die Prüfung; den Lauf kommentieren',
    fr: "laisser une remarque sur cette exécution; ajouter un commentaire au processus; écrire dans le journal d'une exécution; noter que le client a appelé; annoter la vérification; commenter l'approbation",
    es: 'dejar una nota en esta ejecución; añadir un comentario al proceso; escribir en el registro de una ejecución; anotar que llamó el cliente; comentar la aprobación; nota para quien revisa',
  },
  pause_workflow_instance: {
    en: 'hold this run; stop the process for now; put the approval on hold; freeze the run until Monday; do not go on with this flow yet; pause one run; suspend the process of order 7; keep the run from its next step; wait with the escalation; halt it without cancelling',
    de: 'diesen Lauf anhalten; den Prozess vorerst stoppen; die Freigabe aussetzen; den Lauf bis Montag einfrieren; noch nicht weitermachen; einen Lauf pausieren',
    fr: "suspendre cette exécution; arrêter le processus pour l'instant; mettre l'approbation en attente; geler l'exécution jusqu'à lundi; ne pas continuer pour le moment; mettre en pause une exécution",
    es: 'detener por ahora esta ejecución; poner la aprobación en espera; congelar la ejecución hasta el lunes; no seguir todavía; pausar una ejecución; suspender el proceso',
  },
  resume_workflow_instance: {
    en: 'let the paused run go on; continue the process; take the approval off hold; unfreeze the run; carry on where it was held; resume run 77; the holiday is over, go on with the flow; release the held process; restart what I paused; go on now',
    de: 'den pausierten Lauf weiterlaufen lassen; den Prozess fortsetzen; die Freigabe wieder aufnehmen; den angehaltenen Lauf freigeben; weitermachen, wo er gehalten wurde; jetzt weiter',
    fr: "laisser continuer l'exécution en pause; reprendre le processus; reprendre l'approbation; débloquer l'exécution suspendue; continuer là où c'était arrêté; reprendre maintenant",
    es: 'dejar seguir la ejecución pausada; continuar el proceso; reanudar la aprobación; liberar la ejecución detenida; seguir donde estaba parada; reanudar ahora',
  },
  cancel_workflow_instance: {
    en: 'call the approval off; end this run for good; stop the process and undo what it did; the order was withdrawn, drop its review; abort the run; kill the flow for this record; withdraw the request for approval; terminate run 77; roll back the process; nobody needs this run any more',
    de: 'die Freigabe abblasen; diesen Lauf endgültig beenden; den Prozess abbrechen und rückgängig machen; der Auftrag ist zurückgezogen, Prüfung abbrechen; den Lauf abbrechen; die Anfrage zurückziehen',
    fr: "annuler l'approbation; mettre fin à cette exécution; arrêter le processus et défaire ce qu'il a fait; la commande est retirée, abandonner la vérification; interrompre l'exécution; retirer la demande",
    es: 'anular la aprobación; terminar esta ejecución del todo; parar el proceso y deshacer lo hecho; el pedido se retiró, abandonar la revisión; abortar la ejecución; retirar la solicitud',
  },
  retry_workflow_instance: {
    en: 'try the failed step again; the run failed last night, go on now; rerun the broken step; I fixed the record, continue the failed run; repeat what went wrong in the process; have another go at run 77; recover a failed flow; the vendor is back, retry the run; restart from the step that failed; do not start over, just redo the failure',
    de: 'den fehlgeschlagenen Schritt noch einmal versuchen; der Lauf ist gescheitert, jetzt weiter; den kaputten Schritt wiederholen; der Datensatz ist repariert, den Lauf fortsetzen; nach dem Fehler weitermachen; einen gescheiterten Lauf retten',
    fr: "réessayer l'étape qui a échoué; l'exécution a échoué, continuer maintenant; refaire l'étape cassée; la fiche est corrigée, reprendre l'exécution échouée; récupérer un flux en échec; recommencer depuis l'erreur",
    es: 'intentar de nuevo el paso fallido; la ejecución falló, seguir ahora; repetir el paso roto; el registro está arreglado, continuar la ejecución fallida; recuperar un flujo fallido; reintentar desde el error',
  },
  signal_workflow_instance: {
    en: 'tell the run that the parts have arrived; send an event to a waiting process; the payment came in, let the flow know; deliver a named event to run 77; wake the step that waits for an event; report to the process that the truck left; pass a payload to a run; the outside system is done, inform the flow; notify a run of something that happened; fire the event that the run waits for',
    de: 'dem Lauf sagen, dass die Teile da sind; ein Ereignis an einen wartenden Prozess senden; die Zahlung ist da, den Ablauf informieren; einen Lauf über etwas benachrichtigen; den Schritt wecken, der auf ein Ereignis wartet; dem Prozess melden, dass der Lkw fährt',
    fr: "dire à l'exécution que les pièces sont arrivées; envoyer un événement à un processus qui attend; le paiement est là, prévenir le flux; informer une exécution; réveiller l'étape qui attend un événement; signaler au processus que le camion est parti",
    es: 'decir a la ejecución que llegaron las piezas; enviar un evento a un proceso que espera; llegó el pago, avisar al flujo; informar a una ejecución de algo; despertar el paso que espera un evento; avisar al proceso de que salió el camión',
  },
  list_my_tasks: {
    en: 'what do I have to do; my tasks; what waits for my approval; my to-do list; which steps are assigned to me; is anything waiting for me; what should I decide today; open tasks of mine; forms that I still have to fill in; what is on my plate',
    de: 'was habe ich zu tun; meine Aufgaben; was wartet auf meine Freigabe; meine To-do-Liste; welche Schritte sind mir zugewiesen; was muss ich heute entscheiden',
    fr: "qu'ai-je à faire; mes tâches; qu'est-ce qui attend mon approbation; ma liste de choses à faire; quelles étapes me sont attribuées; que dois-je décider aujourd'hui",
    es: 'qué tengo que hacer; mis tareas; qué espera mi aprobación; mi lista de pendientes; qué pasos tengo asignados; qué debo decidir hoy',
  },
}
