import type { Phrases } from '#platform/operation.ts'

export const viewsPhrases: Phrases = {
  list_views: {
    en: 'which saved lists are there for orders; show my saved filters; what views do we have; favourite lists of this table; is there a ready-made list of overdue jobs; saved searches of a table; which prepared lists did colleagues share; names of the custom lists; all stored queries of an entity; which lists has somebody set up for machines; predefined tables of customers to look at; what list layouts exist',
    de: 'welche gespeicherten Listen gibt es für Aufträge; meine gespeicherten Filter zeigen; welche Ansichten haben wir; gibt es eine fertige Liste der überfälligen Aufträge; gespeicherte Suchen einer Tabelle; welche Listen haben Kollegen freigegeben; Namen der eigenen Ansichten',
    fr: 'quelles listes enregistrées existent pour les commandes; montrer mes filtres enregistrés; quelles vues avons-nous; y a-t-il une liste toute prête des retards; recherches enregistrées de la table; quelles listes les collègues ont-ils partagées; noms des vues',
    es: 'qué listas guardadas hay para los pedidos; mostrar mis filtros guardados; qué vistas tenemos; hay una lista preparada de atrasados; búsquedas guardadas de una tabla; qué listas han compartido los compañeros; nombres de las vistas',
  },
  get_view: {
    en: 'what does the saved list open orders show; by what is this view filtered; which columns has the view; how is the saved list sorted; open the definition of a view; why does this list leave out some orders; settings of one saved list; who made the overdue list; look at the filter behind a saved list; is anything wrong with this view; how was the saved search put together; read the layout of one view',
    de: 'wonach filtert diese Ansicht; welche Spalten hat die gespeicherte Liste; wie ist die Ansicht sortiert; Einstellungen einer gespeicherten Liste zeigen; warum fehlen Aufträge in dieser Liste; wer hat die Liste der Überfälligen gemacht; Definition einer Ansicht lesen',
    fr: 'par quoi cette vue est-elle filtrée; quelles colonnes a la liste enregistrée; comment la vue est-elle triée; réglages d’une liste enregistrée; pourquoi cette liste omet-elle des commandes; qui a fait la liste des retards; lire la définition d’une vue',
    es: 'por qué filtra esta vista; qué columnas tiene la lista guardada; cómo está ordenada la vista; ajustes de una lista guardada; por qué faltan pedidos en esta lista; quién hizo la lista de atrasados; leer la definición de una vista',
  },
  save_view: {
    en: 'save this filter for later; make a list of open orders that I can reopen; create a view; keep this search under a name; set up a list of overdue inspections for the team; store columns, filter and order together; a standing list of machines due for service; remember this query; build a custom list; I want my own list of urgent jobs; bookmark a filtered table; add a saved list with only three columns',
    de: 'diesen Filter speichern; eine Liste offener Aufträge zum Wiederöffnen anlegen; Ansicht anlegen; Suche unter einem Namen behalten; Liste überfälliger Prüfungen für das Team einrichten; Spalten, Filter und Reihenfolge zusammen speichern; eigene Liste dringender Aufträge',
    fr: 'enregistrer ce filtre; créer une liste des commandes ouvertes à rouvrir; créer une vue; garder cette recherche sous un nom; préparer une liste des inspections en retard pour l’équipe; enregistrer colonnes, filtre et tri ensemble; ma propre liste des urgences',
    es: 'guardar este filtro; crear una lista de pedidos abiertos para volver a abrirla; crear una vista; guardar esta búsqueda con un nombre; preparar una lista de inspecciones atrasadas para el equipo; guardar columnas, filtro y orden juntos; mi propia lista de urgentes',
  },
  update_view: {
    en: 'change the filter of a saved list; add a column to my view; sort the saved list another way; rename a view; the open orders list should also show the site; take a column out of a view; show fewer rows on a page of the saved list; the list of overdue jobs filters wrongly, mend it; edit a saved search; give the view a better name; drop a rule from a stored filter; rearrange the columns of the list I saved',
    de: 'Filter einer gespeicherten Liste ändern; Spalte zu meiner Ansicht hinzufügen; gespeicherte Liste anders sortieren; Ansicht umbenennen; die Liste soll auch den Standort zeigen; Spalte aus der Ansicht nehmen; gespeicherte Suche bearbeiten',
    fr: 'modifier le filtre d’une liste enregistrée; ajouter une colonne à ma vue; trier autrement la liste enregistrée; renommer une vue; la liste doit aussi montrer le site; ôter une colonne de la vue; corriger une recherche enregistrée',
    es: 'cambiar el filtro de una lista guardada; añadir una columna a mi vista; ordenar de otra forma la lista guardada; renombrar una vista; la lista debe mostrar también el sitio; quitar una columna de la vista; editar una búsqueda guardada',
  },
  delete_view: {
    en: 'remove a saved list; nobody uses this view any more; throw away my saved filter; delete the old list of winter jobs but keep the orders; get rid of a saved search; the prepared list is obsolete; drop a view; tidy up saved lists; erase a custom list; forget this stored query; take the bookmark of the filtered table away',
    de: 'gespeicherte Liste löschen; diese Ansicht braucht niemand mehr; gespeicherten Filter wegwerfen; gespeicherte Suche entfernen; alte Ansicht löschen, Aufträge behalten; gespeicherte Listen aufräumen; eigene Liste verwerfen',
    fr: 'supprimer une liste enregistrée; personne n’utilise plus cette vue; jeter mon filtre enregistré; effacer une recherche enregistrée; supprimer l’ancienne vue sans les commandes; ranger les listes enregistrées; oublier cette liste préparée',
    es: 'borrar una lista guardada; nadie usa ya esta vista; tirar mi filtro guardado; eliminar una búsqueda guardada; borrar la vista vieja sin los pedidos; ordenar las listas guardadas; olvidar esta lista preparada',
  },
  validate_view: {
    en: 'would this view be accepted; check the filter before I save the list; are the columns of my list spelled right; try out a saved search without saving it; test a viewJson; find mistakes in a view; is this sort possible in a saved list; proof-read the list definition; does every column of the list exist; dry run of creating a view; look for errors in a stored filter',
    de: 'würde diese Ansicht angenommen; Filter vor dem Speichern der Liste prüfen; sind die Spalten der Liste richtig geschrieben; Ansicht auf Fehler prüfen; gespeicherte Suche ausprobieren ohne zu speichern; gibt es alle Spalten der Liste',
    fr: 'cette vue serait-elle acceptée; vérifier le filtre avant d’enregistrer la liste; les colonnes de ma liste sont-elles bien écrites; chercher des erreurs dans une vue; essayer une vue sans l’enregistrer; toutes les colonnes de la liste existent-elles',
    es: 'se aceptaría esta vista; comprobar el filtro antes de guardar la lista; están bien escritas las columnas de mi lista; buscar errores en una vista; probar una vista sin guardarla; existen todas las columnas de la lista',
  },
  execute_view: {
    en: 'open the saved list of overdue jobs; show me the open orders view; run a view; what stands on the urgent list today; rows of a saved list; use the prepared filter; go through the team list page by page; pull up my usual list; look at the favourites list; what is in the view for site North; load the stored search and show the results; work through the list that Ana set up; results of a saved query',
    de: 'gespeicherte Liste der überfälligen Aufträge öffnen; Ansicht der offenen Aufträge zeigen; Ansicht ausführen; was steht heute auf der Dringlichkeitsliste; den vorbereiteten Filter anwenden; Zeilen einer gespeicherten Liste; meine übliche Liste aufrufen',
    fr: 'ouvrir la liste enregistrée des retards; montrer la vue des commandes ouvertes; exécuter une vue; qu’y a-t-il aujourd’hui sur la liste des urgences; appliquer le filtre préparé; lignes d’une liste enregistrée; afficher ma liste habituelle',
    es: 'abrir la lista guardada de atrasados; mostrar la vista de pedidos abiertos; ejecutar una vista; qué hay hoy en la lista de urgentes; aplicar el filtro preparado; filas de una lista guardada; sacar mi lista de siempre',
  },
  export_view: {
    en: 'download the saved list as a spreadsheet; put the open orders view into Excel; give me the view as CSV; send the prepared list to a file; save the rows of a view as JSON; make an xlsx of the overdue list; I need the saved list on my computer; print-out of a view as a file; write the results of a saved search to a table file; hand the team list to accounting as a spreadsheet; take the whole view out of the system; file with everything that the saved list shows',
    de: 'gespeicherte Liste als Tabelle herunterladen; Ansicht nach Excel ausgeben; die Ansicht als CSV; Zeilen einer Ansicht als Datei speichern; Liste der Überfälligen als xlsx; Ergebnisse einer gespeicherten Suche in eine Datei schreiben; Ansicht für die Buchhaltung ausgeben',
    fr: 'télécharger la liste enregistrée en tableur; mettre la vue dans Excel; la vue en CSV; enregistrer les lignes d’une vue dans un fichier; la liste des retards en xlsx; écrire les résultats d’une recherche enregistrée dans un fichier; sortir la vue pour la comptabilité',
    es: 'descargar la lista guardada como hoja de cálculo; pasar la vista a Excel; la vista en CSV; guardar las filas de una vista en un archivo; la lista de atrasados en xlsx; escribir los resultados de una búsqueda guardada en un archivo; sacar la vista para contabilidad',
  },
  clone_view: {
    en: 'copy a saved list; make my own version of the team view; duplicate a view; start from an existing saved list; the shared list is nearly right, I need my own; same list for another region; take over the filter of a colleague and adapt it; second copy of a saved search; fork a view; reuse the layout of a saved list under another name; a variant of the overdue list',
    de: 'gespeicherte Liste kopieren; eigene Fassung der Team-Ansicht machen; Ansicht duplizieren; von einer vorhandenen Ansicht ausgehen; Filter eines Kollegen übernehmen und anpassen; gleiche Liste unter anderem Namen; Variante einer Ansicht',
    fr: 'copier une liste enregistrée; faire ma version de la vue de l’équipe; dupliquer une vue; partir d’une vue existante; reprendre le filtre d’un collègue et l’adapter; la même liste sous un autre nom; variante d’une vue',
    es: 'copiar una lista guardada; hacer mi versión de la vista del equipo; duplicar una vista; partir de una vista existente; tomar el filtro de un compañero y adaptarlo; la misma lista con otro nombre; variante de una vista',
  },
  share_view: {
    en: 'let everybody see my saved list; share a view with the team; make a view private again; hide a list from agents and keys; publish my saved filter for all colleagues; the overdue list should be there for everyone; who may see this saved list, change that; stop sharing a saved search; show a hidden view to the API again; only I should see this list from now on; make the saved list public inside the company',
    de: 'gespeicherte Liste für alle sichtbar machen; Ansicht mit dem Team teilen; Ansicht wieder privat machen; Liste vor Agenten und Schlüsseln verbergen; Filter für alle Kollegen freigeben; wer diese Liste sehen darf, ändern; Freigabe einer Ansicht zurücknehmen',
    fr: 'rendre ma liste enregistrée visible à tous; partager une vue avec l’équipe; rendre une vue privée; cacher une liste aux agents et aux clés; publier mon filtre pour les collègues; changer qui peut voir cette liste; ne plus partager une vue',
    es: 'hacer visible mi lista guardada para todos; compartir una vista con el equipo; hacer privada una vista; ocultar una lista a agentes y claves; publicar mi filtro para los compañeros; cambiar quién ve esta lista; dejar de compartir una vista',
  },
  set_view_sync: {
    en: 'export the saved list every hour by itself; write the open orders to a file each night; turn off the automatic export of a view; keep a fresh spreadsheet of the overdue list; how often is this view exported, change that; synchronise a view to a file; regular export of a list for the accounting system; refresh the file of a view every fifteen minutes; stop the nightly file of a saved list; recurring dump of a view; let the view come out as CSV on a timer; automatic list files for an integration',
    de: 'gespeicherte Liste stündlich von selbst ausgeben; offene Aufträge jede Nacht in eine Datei schreiben; automatische Ausgabe einer Ansicht abschalten; wie oft wird diese Ansicht ausgegeben; Ansicht regelmäßig als CSV für die Buchhaltung; Datei einer Ansicht alle fünfzehn Minuten erneuern; Ansicht mit einer Datei abgleichen',
    fr: 'exporter la liste enregistrée toutes les heures; écrire chaque nuit les commandes ouvertes dans un fichier; arrêter l’export automatique d’une vue; à quelle fréquence cette vue est-elle exportée; export régulier de la vue pour la comptabilité; rafraîchir le fichier d’une vue tous les quarts d’heure; synchroniser une vue avec un fichier',
    es: 'exportar la lista guardada cada hora automáticamente; escribir cada noche los pedidos abiertos en un archivo; apagar la exportación automática de una vista; cada cuánto se exporta esta vista; exportación periódica de la vista para contabilidad; renovar el archivo de una vista cada quince minutos; sincronizar una vista con un archivo',
  },
}
