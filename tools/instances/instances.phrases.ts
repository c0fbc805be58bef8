import type { Phrases } from '#platform/operation.ts'

export const instancesPhrases: Phrases = {
  save_instance: {
    en: 'add a new order; enter a customer; create a row; write a record; store one item; put something into a table; insert or update by key; change the status of an order by its number; fill in a form; upsert one row; add a log entry; correct a typing mistake in an order',
    de: 'einen Auftrag anlegen; neuen Kunden eintragen; einen Datensatz speichern; eine Zeile hinzufügen; einen Wert ändern',
    fr: 'créer une commande; saisir un nouveau client; enregistrer une fiche; ajouter une ligne; modifier une valeur',
    es: 'crear un pedido; introducir un cliente nuevo; guardar un registro; añadir una fila; cambiar un valor',
  },
  upsert_instance: {
    en: 'edit the record with this id; change some values of a record; set the status of one row; rename the key of a record; correct a mistake in a record I know the id of; update without overwriting somebody else; patch, modify, optimistic locking with row hash',
    de: 'Datensatz mit dieser Nummer ändern; Status einer Zeile setzen; einen Fehler in einem Datensatz berichtigen; nur einige Werte ändern',
    fr: "modifier la fiche portant ce numéro; changer le statut d'une ligne; corriger une erreur dans un enregistrement; mettre à jour quelques valeurs",
    es: 'modificar el registro con este número; cambiar el estado de una fila; corregir un error en un registro; actualizar algunos valores',
  },
  get_instance: {
    en: 'show me one order; open a record by its id; open number 4711; read a single row; details of one customer; look at one item; fetch record by primary key; what is the status of this order',
    de: 'einen Auftrag anzeigen; Datensatz öffnen; eine einzelne Zeile lesen; Einzelheiten eines Kunden',
    fr: "afficher une commande; ouvrir une fiche; lire une seule ligne; détails d'un client",
    es: 'mostrar un pedido; abrir un registro; leer una sola fila; detalles de un cliente',
  },
  get_instance_by_key: {
    en: 'open a record by its order number with several parts; find one row by key1 key2 key3; the key contains a slash; read by external key; look a record up by its order number, composite key or natural key; the number has only digits',
    de: 'Datensatz über zusammengesetzten Schlüssel lesen; Auftrag anhand seiner Nummer mit Schrägstrich öffnen; über externen Schlüssel nachschlagen',
    fr: 'lire une fiche par clé composée; ouvrir une commande par son numéro avec barre oblique; retrouver par clé externe',
    es: 'leer un registro por clave compuesta; abrir un pedido por su número con barra; buscar por clave externa',
  },
  list_instances: {
    en: 'show all open orders; find customers in Madrid; which orders are late; what work is overdue or due today; which repairs are assigned to me; search rows with a filter; newest first; records that match a condition; browse a table page by page; query, select where order by limit; everything assigned to Ana; list the rows of a table',
    de: 'alle offenen Aufträge zeigen; Kunden in Madrid suchen; überfällige Aufträge finden; Zeilen filtern und sortieren; Datensätze auflisten',
    fr: 'afficher toutes les commandes ouvertes; quelles interventions sont en cours; chercher les clients de Madrid; quelles commandes sont en retard; filtrer et trier les lignes; lister les fiches',
    es: 'mostrar todos los pedidos abiertos; buscar clientes de Madrid; qué pedidos están atrasados; filtrar y ordenar filas; listar registros',
  },
  count_instances: {
    en: 'how many orders are open; number of rows; total of customers in a city; count matching records; just the figure, not the rows; select count(*)',
    de: 'wie viele Aufträge sind offen; Anzahl der Datensätze; Zeilen zählen',
    fr: 'combien de commandes sont ouvertes; nombre de lignes; compter les fiches',
    es: 'cuántos pedidos están abiertos; número de filas; contar registros',
  },
  save_instances_bulk: {
    en: 'save hundreds of rows at once; add many records in one call; batch insert; bulk update of rows I send; write a list of customers directly; mass upsert of an array of rows',
    de: 'viele Zeilen auf einmal speichern; hunderte Datensätze in einem Aufruf anlegen; Massenänderung von Zeilen',
    fr: "enregistrer beaucoup de lignes d'un coup; ajouter des centaines de fiches en un appel; mise à jour en masse",
    es: 'guardar muchas filas de golpe; añadir cientos de registros en una llamada; actualización masiva',
  },
  import_instances: {
    en: 'load a spreadsheet; import an Excel file; bring a CSV in; upload a list of customers from a file; take over data from the old system; read rows from an xlsx; migrate data; bulk load file with column mapping; ETL ingest',
    de: 'eine Tabelle aus Excel einlesen; CSV importieren; Kundenliste aus einer Datei übernehmen; Daten aus dem Altsystem laden',
    fr: 'charger un tableur; importer un fichier Excel; importer un CSV; reprendre une liste de clients depuis un fichier',
    es: 'cargar una hoja de cálculo; importar un archivo Excel; importar un CSV; traer una lista de clientes de un archivo',
  },
  delete_instance: {
    en: 'delete one order; remove a record; throw a row away; erase an entry by its id; this customer is gone, take it out; soft delete a single row',
    de: 'einen Auftrag löschen; einen Datensatz entfernen; eine Zeile wegwerfen; Eintrag streichen',
    fr: 'supprimer une commande; effacer une fiche; retirer une ligne; enlever un enregistrement',
    es: 'borrar un pedido; eliminar un registro; quitar una fila; suprimir una entrada',
  },
  delete_instance_by_key: {
    en: 'delete the order with this number of several parts; remove a record by key1, key2, key3; erase by composite key; I do not know the id, only the key parts, delete it',
    de: 'Datensatz über zusammengesetzten Schlüssel löschen; Auftrag anhand seiner Schlüsselteile entfernen',
    fr: 'supprimer une fiche par clé composée; effacer une commande par les parties de sa clé',
    es: 'borrar un registro por clave compuesta; eliminar un pedido por las partes de su clave',
  },
  delete_instance_by_external_key: {
    en: 'delete a record by the key that another system uses; remove by external key text; erase the row called "A / 1" elsewhere; delete by foreign identifier',
    de: 'Datensatz über externen Schlüssel löschen; Zeile mit der Kennung des Fremdsystems entfernen',
    fr: "supprimer par clé externe; effacer la fiche d'après l'identifiant de l'autre système",
    es: 'borrar por clave externa; eliminar el registro por el identificador del otro sistema',
  },
  delete_instances_bulk: {
    en: 'delete many records at once; remove hundreds of rows; clear out a list of orders; empty a table; batch delete by keys; mass removal',
    de: 'viele Datensätze auf einmal löschen; hunderte Zeilen entfernen; Tabelle leeren; Massenlöschung',
    fr: 'supprimer beaucoup de fiches à la fois; effacer des centaines de lignes; vider une table; suppression en masse',
    es: 'borrar muchos registros a la vez; eliminar cientos de filas; vaciar una tabla; borrado masivo',
  },
  get_instance_history: {
    en: 'who changed this order and when; all versions of a record; what was the old value; change log of one row; audit trail of a record; what did somebody edit; revision history',
    de: 'wer hat diesen Auftrag geändert und wann; alle Versionen eines Datensatzes; was stand vorher darin; Änderungsverlauf',
    fr: "qui a changé cette commande et quand; toutes les versions d'une fiche; quelle était l'ancienne valeur; historique des modifications",
    es: 'quién cambió este pedido y cuándo; todas las versiones de un registro; cuál era el valor anterior; historial de cambios',
  },
  get_instance_as_of: {
    en: 'how did this record look last week; what did this order say last month; one row as it was on a date; state of an order before the mistake; time travel for one record; point in time read; what did it say yesterday',
    de: 'wie sah dieser Datensatz letzte Woche aus; Stand eines Auftrags an einem Tag; eine Zeile zu einem früheren Zeitpunkt',
    fr: "comment était cette fiche la semaine dernière; état d'une commande à une date; une ligne à un moment passé",
    es: 'cómo era este registro la semana pasada; estado de un pedido en una fecha; una fila en un momento anterior',
  },
  list_instances_as_of: {
    en: 'the whole table as it was at the end of the year; which orders were open last month; all records at a moment in the past; snapshot of a table on a date; list with yesterday’s values; historical query over many rows',
    de: 'die ganze Tabelle zum Jahresende; welche Aufträge waren letzten Monat offen; alle Datensätze zu einem früheren Zeitpunkt',
    fr: "toute la table à la fin de l'année; quelles commandes étaient ouvertes le mois dernier; toutes les fiches à une date passée",
    es: 'toda la tabla a fin de año; qué pedidos estaban abiertos el mes pasado; todos los registros en una fecha anterior',
  },
  get_instance_variance: {
    en: 'how did a value change over time; course of the price during a month; differences between two dates for one record; trend of a reading; compare snapshots of a record; delta of a field over a period',
    de: 'wie hat sich ein Wert über die Zeit verändert; Verlauf des Preises; Unterschiede zwischen zwei Terminen bei einem Datensatz',
    fr: "comment une valeur a évolué dans le temps; évolution du prix sur une période; différences d'une fiche entre deux dates",
    es: 'cómo cambió un valor con el tiempo; evolución del precio en un periodo; diferencias de un registro entre dos fechas',
  },
  list_instances_changed_since: {
    en: 'what is new since last time; keep a copy in our warehouse up to date; only changed rows since yesterday; incremental synchronisation; delta feed, change data capture; mirror the data elsewhere; resume from a watermark token',
    de: 'was ist seit dem letzten Mal neu; nur geänderte Zeilen abholen; Kopie im Data Warehouse aktuell halten; inkrementeller Abgleich',
    fr: 'quoi de neuf depuis la dernière fois; seulement les lignes changées; tenir une copie à jour; synchronisation incrémentale',
    es: 'qué hay de nuevo desde la última vez; solo las filas cambiadas; mantener una copia al día; sincronización incremental',
  },
  list_instances_deleted_since: {
    en: 'which records were deleted since last time; rows to remove from my copy; tombstones; deletions only, for synchronisation; what disappeared; who deleted what recently',
    de: 'welche Datensätze wurden seitdem gelöscht; gelöschte Zeilen für den Abgleich; was ist verschwunden',
    fr: 'quelles fiches ont été supprimées depuis; lignes effacées pour la synchronisation; ce qui a disparu',
    es: 'qué registros se borraron desde entonces; filas eliminadas para sincronizar; qué ha desaparecido',
  },
}
