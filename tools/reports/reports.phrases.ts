import type { Phrases } from '#platform/operation.ts'

export const reportsPhrases: Phrases = {
  list_reports: {
    en: 'which reports are there; what evaluations do we have; names of the saved reports; show me the management reports; is there a ready-made report on costs; which statistics did colleagues prepare; overview of all analyses; reports that I may run; what key figures are set up; catalogue of reports; which monthly reports exist',
    de: 'welche Berichte gibt es; welche Auswertungen haben wir; Namen der gespeicherten Berichte; gibt es einen fertigen Kostenbericht; welche Statistiken haben Kollegen vorbereitet; Übersicht der Auswertungen',
    fr: 'quels rapports existent; quelles analyses avons-nous; noms des rapports enregistrés; y a-t-il un rapport des coûts tout prêt; quelles statistiques les collègues ont-ils préparées; liste des rapports mensuels',
    es: 'qué informes hay; qué análisis tenemos; nombres de los informes guardados; hay un informe de costes preparado; qué estadísticas han preparado los compañeros; lista de informes mensuales',
  },
  get_report: {
    en: 'how is this report built; which parameters does the report take; what does the cost report join; definition of a report; why does the report leave sites out; by what does the report group; open the settings of a report; read one report; is anything wrong with this report; which filters has the monthly report; who made this evaluation',
    de: 'wie ist dieser Bericht aufgebaut; welche Parameter nimmt der Bericht; Definition eines Berichts lesen; wonach gruppiert der Bericht; Einstellungen einer Auswertung zeigen; wer hat diese Auswertung gemacht',
    fr: 'comment ce rapport est-il construit; quels paramètres prend le rapport; lire la définition d’un rapport; par quoi le rapport groupe-t-il; réglages d’un rapport; qui a fait cette analyse',
    es: 'cómo está hecho este informe; qué parámetros toma el informe; leer la definición de un informe; por qué agrupa el informe; ajustes de un informe; quién hizo este análisis',
  },
  create_report: {
    en: 'build a report; set up a monthly cost report; save this evaluation for the team; make a report of hours by site; create a statistic over orders and visits; keep a pivot for later; new management report; a report with a date as parameter; store a cross-table analysis under a name; set up key figures; I want a reusable summary of several tables',
    de: 'einen Bericht anlegen; monatlichen Kostenbericht einrichten; diese Auswertung für das Team speichern; Statistik über Aufträge und Besuche erstellen; Kennzahlen einrichten; Bericht mit Datum als Parameter',
    fr: 'créer un rapport; préparer un rapport mensuel des coûts; enregistrer cette analyse pour l’équipe; statistique sur les commandes et les visites; rapport avec une date en paramètre; tableau croisé à garder',
    es: 'crear un informe; preparar un informe mensual de costes; guardar este análisis para el equipo; estadística de pedidos y visitas; informe con una fecha como parámetro; guardar una tabla cruzada',
  },
  update_report: {
    en: 'change a report; the cost report should also group by site; add a column to the report; rename a report; mend the filter of a report; share my report with everybody; give the report another parameter; the report sums the wrong field; edit an evaluation; hide a report from agents; take a join out of the report',
    de: 'Bericht ändern; der Bericht soll auch nach Standort gruppieren; Spalte zum Bericht hinzufügen; Bericht umbenennen; Filter eines Berichts korrigieren; meinen Bericht für alle freigeben',
    fr: 'modifier un rapport; le rapport doit aussi grouper par site; ajouter une colonne au rapport; renommer un rapport; corriger le filtre d’un rapport; partager mon rapport avec tous',
    es: 'cambiar un informe; el informe debe agrupar también por sitio; añadir una columna al informe; renombrar un informe; corregir el filtro de un informe; compartir mi informe con todos',
  },
  delete_report: {
    en: 'remove a report; nobody reads this report any more; throw away an old evaluation; get rid of the monthly report; delete a saved statistic; the report is obsolete; tidy up reports; drop an analysis; erase the cost report but keep the records; we no longer need this summary',
    de: 'Bericht löschen; diesen Bericht liest niemand mehr; alte Auswertung wegwerfen; gespeicherte Statistik entfernen; Berichte aufräumen; Kostenbericht entfernen, Daten behalten',
    fr: 'supprimer un rapport; personne ne lit plus ce rapport; jeter une vieille analyse; effacer une statistique enregistrée; ranger les rapports; enlever le rapport des coûts',
    es: 'borrar un informe; nadie lee ya este informe; tirar un análisis viejo; eliminar una estadística guardada; ordenar los informes; quitar el informe de costes',
  },
  execute_report: {
    en: 'run the cost report; show me the monthly figures; what does the report say for March; open the hours by site report; rows of a saved report; the report with another date; pull up the management report; results of an evaluation; how are our key figures today; give me the statistics for region North; read the next page of the report',
    de: 'Kostenbericht ausführen; Monatszahlen zeigen; was sagt der Bericht für März; Auswertung aufrufen; Bericht mit anderem Datum; Kennzahlen von heute; Zeilen eines gespeicherten Berichts',
    fr: 'exécuter le rapport des coûts; montrer les chiffres du mois; que dit le rapport pour mars; ouvrir une analyse; le rapport avec une autre date; lignes d’un rapport enregistré',
    es: 'ejecutar el informe de costes; mostrar las cifras del mes; qué dice el informe de marzo; abrir un análisis; el informe con otra fecha; filas de un informe guardado',
  },
  execute_report_inline: {
    en: 'join two tables and sum; hours per site over all orders; cost of visits by customer and month; which sites had no visit; combine orders with their logs; ad-hoc analysis over several entities; how did the totals change week by week; figures as they were at the end of last year; compare months across tables; one-off report; cross-table query; select from orders join visits group by site',
    de: 'zwei Tabellen verbinden und summieren; Stunden je Standort über alle Aufträge; Kosten der Besuche je Kunde und Monat; Auswertung über mehrere Tabellen ohne Speichern; Zahlen zum Stand Ende letzten Jahres; wie haben sich die Summen von Woche zu Woche geändert',
    fr: 'joindre deux tables et additionner; heures par site sur toutes les commandes; coût des visites par client et par mois; analyse ponctuelle sur plusieurs tables; les chiffres de la fin de l’an dernier; évolution des totaux semaine par semaine',
    es: 'unir dos tablas y sumar; horas por sitio de todos los pedidos; coste de visitas por cliente y mes; análisis puntual de varias tablas; cifras de finales del año pasado; cómo cambiaron los totales semana a semana',
  },
  validate_report: {
    en: 'would this report be accepted; check the report before saving; are the joins right; does a sum count twice; find mistakes in a report definition; proof-read a report; test a definitionJson; are the property names of the report spelled right; is this aggregate possible; dry run of creating a report',
    de: 'würde dieser Bericht angenommen; Bericht vor dem Speichern prüfen; stimmen die Verknüpfungen; zählt eine Summe doppelt; Fehler in einer Berichtsdefinition finden; sind die Namen im Bericht richtig geschrieben',
    fr: 'ce rapport serait-il accepté; vérifier le rapport avant de l’enregistrer; les jointures sont-elles justes; une somme compte-t-elle double; chercher des erreurs dans un rapport; les noms du rapport sont-ils bien écrits',
    es: 'se aceptaría este informe; comprobar el informe antes de guardarlo; son correctas las uniones; cuenta doble una suma; buscar errores en un informe; están bien escritos los nombres del informe',
  },
  clone_report: {
    en: 'copy a report; make my own version of the cost report; duplicate an evaluation; start from an existing report; the shared report is nearly right, I need my own; same report for another region; variant of a report; take over a colleague’s statistic and adapt it; fork the monthly report; second copy of a report under another name',
    de: 'Bericht kopieren; eigene Fassung des Kostenberichts machen; Auswertung duplizieren; von einem vorhandenen Bericht ausgehen; gleicher Bericht für eine andere Region; Statistik eines Kollegen übernehmen und anpassen',
    fr: 'copier un rapport; faire ma version du rapport des coûts; dupliquer une analyse; partir d’un rapport existant; le même rapport pour une autre région; reprendre la statistique d’un collègue',
    es: 'copiar un informe; hacer mi versión del informe de costes; duplicar un análisis; partir de un informe existente; el mismo informe para otra región; tomar la estadística de un compañero y adaptarla',
  },
  export_report: {
    en: 'download the figures as a spreadsheet; put the monthly report into Excel; report as CSV for accounting; all rows of a report in a file; save the evaluation as JSON; hand the sums to the bookkeeper as a table file; the report has too many rows for the screen, give me a file; xlsx of hours by technician; write the results of a report to disk; take the statistics out of the system; send the report to a file',
    de: 'Auswertung als Tabelle herunterladen; Monatsbericht nach Excel; Bericht als CSV für die Buchhaltung; alle Zeilen eines Berichts in eine Datei; Summen als Datei ausgeben; xlsx der Stunden je Techniker; Ergebnisse eines Berichts speichern',
    fr: 'télécharger les chiffres en tableur; mettre le rapport mensuel dans Excel; rapport en CSV pour la comptabilité; toutes les lignes d’un rapport dans un fichier; enregistrer l’analyse dans un fichier; xlsx des heures par technicien; sortir les statistiques',
    es: 'descargar las cifras como hoja de cálculo; pasar el informe mensual a Excel; informe en CSV para contabilidad; todas las filas de un informe en un archivo; guardar el análisis en un archivo; xlsx de horas por técnico; sacar las estadísticas',
  },
  chart_report: {
    en: 'draw a bar chart of costs by site; make a diagram of the report; pie of orders by status; plot hours per month as a line; I need a graph for the presentation; picture of the figures for a message; visualise the evaluation; donut chart; chart as PNG; show the trend as a curve; histogram of jobs per week; graphic of the sums',
    de: 'Balkendiagramm der Kosten je Standort; Diagramm des Berichts zeichnen; Torte der Aufträge nach Status; Stunden je Monat als Linie; Grafik für die Präsentation; Auswertung als Bild; Verlauf als Kurve zeigen',
    fr: 'tracer un graphique des coûts par site; faire un diagramme du rapport; camembert des commandes par statut; courbe des heures par mois; un graphe pour la présentation; image des chiffres; visualiser l’analyse',
    es: 'dibujar un gráfico de barras de costes por sitio; hacer un diagrama del informe; gráfico circular de pedidos por estado; línea de horas por mes; un gráfico para la presentación; imagen de las cifras; visualizar el análisis',
  },
  explain_report: {
    en: 'how expensive would this report be; why is the report slow; which index does the report use; will this evaluation take long; query plan of a report; cost estimate before I run it; what would make the report faster; does the report read the whole table; check the load of a report on the database; performance of a report definition; is this join too heavy',
    de: 'wie teuer wäre dieser Bericht; warum ist der Bericht langsam; welchen Index benutzt der Bericht; dauert diese Auswertung lange; Abfrageplan eines Berichts; was macht den Bericht schneller; liest der Bericht die ganze Tabelle',
    fr: 'combien coûterait ce rapport; pourquoi le rapport est-il lent; quel index utilise le rapport; cette analyse sera-t-elle longue; plan de requête d’un rapport; comment accélérer le rapport; le rapport lit-il toute la table',
    es: 'cuánto costaría este informe; por qué es lento el informe; qué índice usa el informe; tardará mucho este análisis; plan de consulta de un informe; cómo acelerar el informe; lee el informe toda la tabla',
  },
  schedule_report: {
    en: 'send me the report every Monday morning; mail the monthly figures to the boss automatically; deliver the evaluation each weekday at seven; subscribe to a report; daily figures into my inbox; weekly statistics to the whole team; run the report every night by itself; recurring report by e-mail; set up a report delivery; newsletter with the key figures; change the hour at which the report is sent',
    de: 'Bericht jeden Montagmorgen schicken; Monatszahlen automatisch an den Chef mailen; Auswertung werktags um sieben zustellen; Bericht abonnieren; tägliche Zahlen in meinen Eingang; wöchentliche Statistik an das Team; Bericht jede Nacht von selbst ausführen',
    fr: 'envoyer le rapport chaque lundi matin; chiffres du mois au chef automatiquement; livrer l’analyse chaque jour ouvré à sept heures; s’abonner à un rapport; chiffres quotidiens dans ma boîte; statistiques hebdomadaires à l’équipe; rapport récurrent par courriel',
    es: 'enviar el informe cada lunes por la mañana; cifras del mes al jefe automáticamente; entregar el análisis cada día laborable a las siete; suscribirse a un informe; cifras diarias en mi bandeja; estadísticas semanales al equipo; informe recurrente por correo',
  },
  unschedule_report: {
    en: 'stop sending me the report; unsubscribe from the weekly figures; no more reports by mail; end the delivery of a report; cancel the Monday report; switch off the automatic evaluation; I do not want the daily statistics any more; take me off the report schedule; turn the report subscription off; quit the recurring report',
    de: 'Bericht nicht mehr schicken; Wochenzahlen abbestellen; keine Berichte mehr per Mail; Zustellung eines Berichts beenden; automatische Auswertung abschalten; Abonnement des Berichts kündigen',
    fr: 'ne plus m’envoyer le rapport; se désabonner des chiffres hebdomadaires; plus de rapports par courriel; arrêter la livraison d’un rapport; couper l’analyse automatique; annuler le rapport du lundi',
    es: 'dejar de enviarme el informe; darse de baja de las cifras semanales; no más informes por correo; terminar la entrega de un informe; apagar el análisis automático; cancelar el informe del lunes',
  },
}
