import type { Phrases } from '#platform/operation.ts'

export const actionPacksPhrases: Phrases = {
  list_action_packs: {
    en: 'which action packs are there; what ready-made automations can we install; show the shop of packs; list available packs; which small apps come with the product; is there a pack for overdue work; what can be installed to automate reminders; packs that we wrote ourselves; catalogue of action packs; which add-ons exist',
    de: 'welche Action Packs gibt es; welche fertigen Automatisierungen können wir installieren; verfügbare Pakete auflisten; welche kleinen Apps sind dabei; gibt es ein Paket für Überfälliges; Katalog der Pakete',
    fr: "quels packs d'actions existent; quelles automatisations toutes prêtes peut-on installer; liste des packs disponibles; quelles petites applications sont fournies; y a-t-il un pack pour les retards; catalogue des packs",
    es: 'qué paquetes de acciones hay; qué automatizaciones listas podemos instalar; lista de paquetes disponibles; qué pequeñas aplicaciones vienen incluidas; hay un paquete para lo atrasado; catálogo de paquetes',
  },
  describe_action_pack: {
    en: 'what does this pack do; which settings does the pack ask for; what fires the overdue pack; which roles does a pack need; details of an action pack; manifest of a pack; how do I configure the daily digest pack; what would I install there; steps inside a pack; which versions of the pack are there',
    de: 'was macht dieses Paket; welche Einstellungen will das Paket; was löst das Paket aus; welche Rollen braucht ein Paket; Einzelheiten eines Action Packs; welche Versionen hat das Paket',
    fr: 'que fait ce pack; quels réglages demande le pack; quels rôles faut-il pour ce pack; détails du pack; manifeste du pack; quelles versions du pack existent',
    es: 'qué hace este paquete; qué ajustes pide el paquete; qué roles necesita el paquete; detalles del paquete; manifiesto del paquete; qué versiones del paquete hay',
  },
  list_trigger_types: {
    en: 'which kinds of triggers are there; what can fire an automation; what can start a pack by itself; list trigger types; can something fire on a schedule; can a saved photo trigger anything; which fields does a webhook trigger take; what does the trigger payload hold; ways to fire a flow; what events can start things here',
    de: 'welche Arten von Auslösern gibt es; was kann eine Automatisierung auslösen; Auslösertypen auflisten; kann etwas nach Zeitplan auslösen; was enthält der Auslöser; womit kann ein Paket starten',
    fr: "quels types de déclencheurs existent; qu'est-ce qui peut déclencher une automatisation; liste des types de déclencheurs; une photo peut-elle déclencher quelque chose; que contient le déclencheur; de quoi un pack peut-il partir",
    es: 'qué tipos de disparadores hay; qué puede disparar una automatización; lista de tipos de disparador; puede una foto disparar algo; qué contiene el disparador; con qué puede arrancar un paquete',
  },
  create_action_pack: {
    en: 'write our own action pack; author a pack; make a reusable automation that others can install; package this automation with settings; build a small app from a manifest; new pack that tells of defects; create an installable automation; publish a pack of ours; turn a flow into a pack; save this manifest as a pack',
    de: 'ein eigenes Action Pack schreiben; ein Paket verfassen; eine wiederverwendbare Automatisierung bauen; aus einem Manifest ein Paket machen; neues Paket anlegen; eine installierbare Automatisierung erstellen',
    fr: "écrire notre propre pack d'actions; créer un pack; faire une automatisation réutilisable; créer un pack à partir d'un manifeste; nouveau pack; créer une automatisation installable",
    es: 'escribir nuestro propio paquete de acciones; crear un paquete; hacer una automatización reutilizable; crear un paquete desde un manifiesto; nuevo paquete; crear una automatización instalable',
  },
  update_action_pack: {
    en: 'release a new version of our pack; update the manifest of a pack; bump the pack to 1.1.0; fix a bug in the pack that we wrote; add a setting to our pack; change the steps of a pack; next version of the pack; ship an improved pack; revise our action pack; make version 2 of the pack',
    de: 'eine neue Version unseres Pakets herausgeben; das Manifest eines Pakets ändern; das Paket auf 1.1.0 heben; einen Fehler in unserem Paket beheben; dem Paket eine Einstellung hinzufügen; die Schritte des Pakets ändern',
    fr: 'publier une nouvelle version de notre pack; modifier le manifeste du pack; passer le pack en 1.1.0; corriger une erreur dans notre pack; ajouter un réglage au pack; changer les étapes du pack',
    es: 'publicar una nueva versión de nuestro paquete; cambiar el manifiesto del paquete; subir el paquete a 1.1.0; corregir un error en nuestro paquete; añadir un ajuste al paquete; cambiar los pasos del paquete',
  },
  delete_action_pack: {
    en: 'remove a pack that nobody installed; delete our action pack; throw the old pack away; take a pack out of the catalogue; drop the pack with all its versions; get rid of a pack that we wrote; the pack is obsolete, delete it; clean up unused packs; erase a pack; delete the test pack',
    de: 'ein Paket entfernen, das niemand installiert hat; unser Action Pack löschen; das alte Paket wegwerfen; ein Paket aus dem Katalog nehmen; unbenutzte Pakete aufräumen; das Testpaket löschen',
    fr: "supprimer un pack que personne n'a installé; effacer notre pack d'actions; jeter l'ancien pack; retirer un pack du catalogue; nettoyer les packs inutilisés; supprimer le pack de test",
    es: 'borrar un paquete que nadie instaló; eliminar nuestro paquete de acciones; tirar el paquete viejo; quitar un paquete del catálogo; limpiar paquetes sin usar; borrar el paquete de prueba',
  },
  validate_action_pack: {
    en: 'is this manifest right; check a pack before I create it; what is wrong with my pack; test whether the manifest is valid; lint the action pack; find mistakes in a manifest; would this pack be accepted; dry run of creating a pack; verify the settings that a pack declares; does the pack name steps that exist',
    de: 'stimmt dieses Manifest; ein Paket vor dem Anlegen prüfen; was ist an meinem Paket falsch; Fehler im Manifest finden; würde dieses Paket angenommen; das Action Pack validieren',
    fr: "ce manifeste est-il correct; vérifier un pack avant de le créer; qu'est-ce qui ne va pas dans mon pack; trouver les erreurs du manifeste; ce pack serait-il accepté; valider le pack d'actions",
    es: 'está bien este manifiesto; comprobar un paquete antes de crearlo; qué está mal en mi paquete; encontrar errores en el manifiesto; se aceptaría este paquete; validar el paquete de acciones',
  },
  install_action_pack: {
    en: 'install the overdue reminders; switch on the daily digest for my team; set up photo triage for inspections; install a pack with these settings; make the escalation pack work here; add an automation from the catalogue; install the same pack again for another team; get a web address that turns posts into records; activate an action pack; put the acknowledge pack to use',
    de: 'die Erinnerungen für Überfälliges installieren; die tägliche Übersicht für mein Team einrichten; ein Paket mit diesen Einstellungen installieren; eine Automatisierung aus dem Katalog hinzufügen; dasselbe Paket noch einmal installieren; ein Action Pack in Betrieb nehmen',
    fr: "installer les rappels de retard; mettre en place le résumé quotidien pour mon équipe; installer un pack avec ces réglages; ajouter une automatisation du catalogue; installer encore une fois le même pack; mettre un pack d'actions en service",
    es: 'instalar los avisos de atraso; poner en marcha el resumen diario para mi equipo; instalar un paquete con estos ajustes; añadir una automatización del catálogo; instalar otra vez el mismo paquete; poner en uso un paquete de acciones',
  },
  update_action_pack_install: {
    en: 'change the settings of an installed pack; send the digest to somebody else from now on; upgrade the install to the new version; remind after two days rather than one; let the install take version 1.1.0; reconfigure the overdue pack; new secret for an installed pack; escalate to another person; the installed pack should watch another property; move an install to the latest pack',
    de: 'die Einstellungen eines installierten Pakets ändern; die Übersicht künftig an jemand anderen senden; die Installation auf die neue Version heben; das installierte Paket umkonfigurieren; nach zwei Tagen statt nach einem erinnern; an eine andere Person eskalieren',
    fr: "changer les réglages d'un pack installé; envoyer désormais le résumé à quelqu'un d'autre; passer l'installation à la nouvelle version; reconfigurer le pack installé; rappeler après deux jours au lieu d'un; escalader vers une autre personne",
    es: 'cambiar los ajustes de un paquete instalado; enviar desde ahora el resumen a otra persona; pasar la instalación a la versión nueva; reconfigurar el paquete instalado; avisar a los dos días y no al primero; escalar a otra persona',
  },
  uninstall_action_pack: {
    en: 'uninstall the digest; remove an installed pack; we do not want these reminders any more; take the pack out of use for good; get rid of an install; end the escalation pack and its runs; uninstall photo triage; the team is gone, remove its pack; delete an installation of a pack; stop the pack for ever',
    de: 'die Übersicht deinstallieren; ein installiertes Paket entfernen; wir wollen diese Erinnerungen nicht mehr; das Paket endgültig außer Betrieb nehmen; eine Installation löschen; das Paket samt Läufen beenden',
    fr: 'désinstaller le résumé; enlever un pack installé; nous ne voulons plus ces rappels; mettre le pack définitivement hors service; supprimer une installation; arrêter le pack et ses exécutions',
    es: 'desinstalar el resumen; quitar un paquete instalado; ya no queremos estos avisos; retirar el paquete del todo; borrar una instalación; acabar con el paquete y sus ejecuciones',
  },
  list_action_pack_installs: {
    en: 'which packs are installed; what automations run here; list installs; is the overdue pack installed; which settings does our digest have; where is the web address of the installed webhook pack; which packs are switched off; how many installs of this pack do we have; installed small apps; overview of what is installed',
    de: 'welche Pakete sind installiert; welche Automatisierungen laufen hier; Installationen auflisten; ist das Paket für Überfälliges installiert; welche Pakete sind ausgeschaltet; Übersicht des Installierten',
    fr: 'quels packs sont installés; quelles automatisations tournent ici; lister les installations; le pack des retards est-il installé; quels packs sont coupés; aperçu de ce qui est installé',
    es: 'qué paquetes están instalados; qué automatizaciones corren aquí; listar las instalaciones; está instalado el paquete de atrasos; qué paquetes están apagados; resumen de lo instalado',
  },
  toggle_action_pack_install: {
    en: 'switch the installed pack off for a while; disable the reminders during the holidays; enable the digest again; turn the escalation on; mute an automation without uninstalling it; stop the pack from firing; let the installed pack fire again; deactivate an install; silence the photo triage for now; resume an installed pack',
    de: 'das installierte Paket eine Weile ausschalten; die Erinnerungen in den Ferien abschalten; die Übersicht wieder einschalten; eine Automatisierung stilllegen; das Paket wieder auslösen lassen; eine Installation deaktivieren',
    fr: 'couper le pack installé pour un temps; désactiver les rappels pendant les vacances; réactiver le résumé; mettre une automatisation en sommeil; laisser le pack se déclencher de nouveau; désactiver une installation',
    es: 'apagar un tiempo el paquete instalado; desactivar los avisos en vacaciones; activar de nuevo el resumen; silenciar una automatización; dejar que el paquete dispare otra vez; desactivar una instalación',
  },
  test_action_pack_install: {
    en: 'try the installed pack without sending anything; what would the pack do with this payload; dry run of an installed pack; simulate the escalation; test the digest before it goes out; rehearse a pack with a sample; check my settings without effects; would the pack find anything; play the pack through; preview what an install does',
    de: 'das installierte Paket ausprobieren, ohne etwas zu senden; was täte das Paket mit diesen Daten; Probelauf eines installierten Pakets; die Eskalation simulieren; die Übersicht testen, bevor sie hinausgeht; meine Einstellungen ohne Wirkung prüfen',
    fr: "essayer le pack installé sans rien envoyer; que ferait le pack avec ces données; essai à blanc d'un pack installé; simuler l'escalade; tester le résumé avant l'envoi; vérifier mes réglages sans effet",
    es: 'probar el paquete instalado sin enviar nada; qué haría el paquete con estos datos; ensayo de un paquete instalado; simular la escalada; probar el resumen antes de enviarlo; comprobar mis ajustes sin efectos',
  },
  fire_action_pack_install: {
    en: 'run the installed pack now; fire the digest by hand; send today’s summary right away; trigger the pack for this record; press the button of a pack; start an action run; do not wait for the schedule, run it now; have the pack ask about this order; launch the automation once; fire it with this input',
    de: 'das installierte Paket jetzt laufen lassen; die Übersicht von Hand auslösen; das Paket für diesen Datensatz auslösen; nicht auf den Zeitplan warten; die Automatisierung einmal starten; einen Aktionslauf starten',
    fr: "faire tourner le pack installé maintenant; déclencher le résumé à la main; déclencher le pack pour cette fiche; ne pas attendre l'horaire; lancer une fois l'automatisation; démarrer une exécution d'action",
    es: 'ejecutar ahora el paquete instalado; disparar el resumen a mano; disparar el paquete para este registro; no esperar al horario; lanzar una vez la automatización; iniciar una ejecución de acción',
  },
  list_action_runs: {
    en: 'what did our packs do today; which action runs failed; log of the Action Center; did the digest go out this morning; runs of the overdue pack; which automations ran about this order; history of a pack; recent action runs; which pack runs are waiting for a reply; show what the installed packs have done',
    de: 'was haben unsere Pakete heute getan; welche Aktionsläufe sind fehlgeschlagen; Protokoll des Action Centers; ging die Übersicht heute hinaus; Läufe eines Pakets; letzte Aktionsläufe',
    fr: "qu'ont fait nos packs aujourd'hui; quelles exécutions d'actions ont échoué; journal du centre d'actions; le résumé est-il parti ce matin; exécutions d'un pack; dernières exécutions d'actions",
    es: 'qué hicieron hoy nuestros paquetes; qué ejecuciones de acciones fallaron; registro del centro de acciones; salió esta mañana el resumen; ejecuciones de un paquete; últimas ejecuciones de acciones',
  },
  get_action_run: {
    en: 'why did this action run fail; what did the pack send and to whom; steps of an action run; what fired this pack run; how long did the action take; input and output of an action run; is the pack still waiting for an answer; look at action run 91; what came of firing the pack; details of one run of a pack',
    de: 'warum ist dieser Aktionslauf fehlgeschlagen; was hat das Paket an wen gesendet; Schritte eines Aktionslaufs; was hat diesen Paketlauf ausgelöst; wie lange dauerte die Aktion; Aktionslauf ansehen',
    fr: "pourquoi cette exécution d'action a-t-elle échoué; qu'a envoyé le pack et à qui; étapes d'une exécution d'action; qu'est-ce qui a déclenché cette exécution du pack; combien de temps l'action a-t-elle pris; voir une exécution d'action",
    es: 'por qué falló esta ejecución de acción; qué envió el paquete y a quién; pasos de una ejecución de acción; qué disparó esta ejecución del paquete; cuánto tardó la acción; ver una ejecución de acción',
  },
  retry_action_run: {
    en: 'try the failed action run again; the digest failed, send it again; redo the pack run that broke; have the pack go on from its failed step; the webhook target is back, retry the action; repeat a failed automation; rerun action 91; recover the failed action run; another attempt for the pack; continue the action that failed',
    de: 'den fehlgeschlagenen Aktionslauf noch einmal versuchen; die Übersicht scheiterte, noch einmal senden; den Paketlauf wiederholen; das Paket ab dem Fehler weiterlaufen lassen; eine gescheiterte Automatisierung wiederholen; die Aktion fortsetzen, die scheiterte',
    fr: "réessayer l'exécution d'action échouée; le résumé a échoué, le renvoyer; refaire l'exécution du pack; reprendre le pack à son erreur; répéter une automatisation en échec; continuer l'action qui a échoué",
    es: 'intentar otra vez la ejecución de acción fallida; falló el resumen, enviarlo otra vez; repetir la ejecución del paquete; seguir el paquete desde su error; repetir una automatización fallida; continuar la acción que falló',
  },
  cancel_action_run: {
    en: 'stop this action run; nobody needs the answer that the pack waits for; cancel the escalation for this order; abort a run of a pack; withdraw the question that the pack asked; end action run 91; kill the running automation; do not escalate this one; drop a pack run that hangs; call off the action',
    de: 'diesen Aktionslauf stoppen; die Eskalation für diesen Auftrag abbrechen; einen Lauf des Pakets abbrechen; die Frage des Pakets zurückziehen; die laufende Automatisierung beenden; die Aktion abblasen',
    fr: "arrêter cette exécution d'action; annuler l'escalade pour cette commande; interrompre une exécution du pack; retirer la question du pack; mettre fin à l'automatisation en cours; abandonner l'action",
    es: 'parar esta ejecución de acción; anular la escalada de este pedido; abortar una ejecución del paquete; retirar la pregunta del paquete; terminar la automatización en curso; abandonar la acción',
  },
  get_action_center_summary: {
    en: 'how are our packs doing; failure rate of the automations; how many action runs were there this week; which pack fails most; how fast do the packs work; overview of the Action Center; statistics of action runs by hour; are more actions failing than yesterday; latency by pack; dashboard figures for automations',
    de: 'wie laufen unsere Pakete; Fehlerquote der Automatisierungen; wie viele Aktionsläufe gab es diese Woche; welches Paket scheitert am häufigsten; wie schnell arbeiten die Pakete; Übersicht des Action Centers',
    fr: "comment vont nos packs; taux d'échec des automatisations; combien d'exécutions d'actions cette semaine; quel pack échoue le plus; à quelle vitesse travaillent les packs; vue d'ensemble du centre d'actions",
    es: 'cómo van nuestros paquetes; tasa de fallos de las automatizaciones; cuántas ejecuciones de acciones hubo esta semana; qué paquete falla más; qué rápido trabajan los paquetes; vista general del centro de acciones',
  },
}
