import type { Phrases } from '#platform/operation.ts'

export const formsPhrases: Phrases = {
  list_forms: {
    en: 'which entry forms are there; show all forms that I may fill in; what questionnaires do we have; list of checklists for the crew; names of the data entry screens; is there a ready form for inspections; which forms are broken since a field was removed; forms of all tables; overview of input masks; what can be filled in on the phone; every form in the company',
    de: 'welche Formulare gibt es; alle Formulare zeigen, die ich ausfüllen darf; welche Checklisten haben wir; gibt es ein fertiges Formular für Prüfungen; Übersicht der Eingabemasken; welche Formulare sind defekt; Namen der Erfassungsmasken',
    fr: 'quels formulaires existent; montrer tous les formulaires que je peux remplir; quelles listes de contrôle avons-nous; y a-t-il un formulaire prêt pour les inspections; aperçu des masques de saisie; quels formulaires sont cassés; noms des questionnaires',
    es: 'qué formularios hay; mostrar todos los formularios que puedo rellenar; qué listas de comprobación tenemos; hay un formulario listo para inspecciones; resumen de pantallas de captura; qué formularios están rotos; nombres de los cuestionarios',
  },
  list_entity_forms: {
    en: 'forms by which customers are entered; which forms belong to this table; entry screens of work orders; is there a form for this entity; list the forms of one entity; which masks enter machines; forms for visits only; input forms of one kind of record; how many forms has this table; forms made for inspections of pumps; which form creates a customer',
    de: 'mit welchen Formularen werden Kunden erfasst; Formulare dieser Tabelle; gibt es ein Formular für diese Entität; Eingabemasken der Aufträge; welche Maske erfasst Maschinen; Formulare einer Satzart; welches Formular legt einen Kunden an',
    fr: 'par quels formulaires saisit-on les clients; formulaires de cette table; y a-t-il un formulaire pour cette entité; masques de saisie des commandes; quel masque saisit les machines; formulaires d’un type de fiche; quel formulaire crée un client',
    es: 'con qué formularios se registran los clientes; formularios de esta tabla; hay un formulario para esta entidad; pantallas de captura de pedidos; qué pantalla registra máquinas; formularios de un tipo de registro; qué formulario crea un cliente',
  },
  get_form: {
    en: 'open the definition of a form; layout of one entry screen as JSON; which version has the form; how is this form built; read a form before I change it; what sections does the form have; look at an earlier layout of a form; settings of one questionnaire; who made this form; is anything wrong with this form; by what is the form locked; source of an entry mask',
    de: 'Definition eines Formulars lesen; Aufbau einer Eingabemaske als JSON; welche Version hat das Formular; wie ist dieses Formular gebaut; früheren Aufbau eines Formulars ansehen; wer hat das Formular gemacht; stimmt etwas mit dem Formular nicht',
    fr: 'lire la définition d’un formulaire; structure d’un masque de saisie en JSON; quelle version a le formulaire; comment ce formulaire est-il construit; voir une ancienne mise en page; qui a fait ce formulaire; quelque chose ne va pas avec le formulaire',
    es: 'leer la definición de un formulario; estructura de una pantalla de captura en JSON; qué versión tiene el formulario; cómo está construido este formulario; ver un diseño anterior; quién hizo este formulario; hay algo mal en el formulario',
  },
  get_form_schema: {
    en: 'what does this form ask; which fields must I fill in; questions of the inspection form with their answers to choose from; open a form for filling in; what may I enter into the checklist; options of each question of a form; which fields of the form are locked; form in my language; which questions depend on others; prepare a phone to fill a form in offline; what is mandatory in this questionnaire; tell me the fields and limits of a form',
    de: 'was fragt dieses Formular; welche Felder des Formulars muss ich ausfüllen; Fragen der Checkliste mit ihren Auswahlmöglichkeiten; Formular zum Ausfüllen öffnen; welche Felder sind gesperrt; Formular in meiner Sprache; was ist Pflicht in diesem Fragebogen',
    fr: 'que demande ce formulaire; quels champs du formulaire dois-je remplir; questions de la liste avec leurs choix; ouvrir un formulaire pour le remplir; quels champs sont verrouillés; formulaire dans ma langue; qu’est-ce qui est obligatoire dans ce questionnaire',
    es: 'qué pregunta este formulario; qué campos del formulario debo rellenar; preguntas de la lista con sus opciones; abrir un formulario para rellenarlo; qué campos están bloqueados; formulario en mi idioma; qué es obligatorio en este cuestionario',
  },
  generate_form: {
    en: 'draft a form for this table; propose an entry screen from the fields; make me a form automatically; which layout would suit work orders; build a form out of the entity with its children; suggest a checklist from what the table has; quick form for a new entity; auto layout of an input mask; give me a starting point for a form; turn the fields of this table into a questionnaire; default form of customers',
    de: 'Formular für diese Tabelle vorschlagen; Eingabemaske aus den Feldern erzeugen; mach mir automatisch ein Formular; Formularentwurf aus der Entität samt Kindern; Ausgangspunkt für ein Formular; schnelles Formular für eine neue Tabelle; Felder in einen Fragebogen verwandeln',
    fr: 'proposer un formulaire pour cette table; générer un masque de saisie à partir des champs; fais-moi un formulaire automatiquement; ébauche de formulaire avec les enfants; point de départ pour un formulaire; formulaire rapide pour une nouvelle table; transformer les champs en questionnaire',
    es: 'proponer un formulario para esta tabla; generar una pantalla de captura a partir de los campos; hazme un formulario automáticamente; borrador de formulario con los hijos; punto de partida para un formulario; formulario rápido para una tabla nueva; convertir los campos en cuestionario',
  },
  import_xlsform: {
    en: 'import an ODK form; bring my Kobo survey over; turn an XLSForm workbook into a form; we have our questionnaires in KoboToolbox; migrate from ODK Collect; load a survey from a spreadsheet with survey and choices sheets; convert the Excel survey of the field team; SurveyCTO form definition to import; take over forms from another data collection tool; upload an xlsform; reuse the humanitarian survey that we have as Excel',
    de: 'ODK-Formular einlesen; unsere Kobo-Umfrage übernehmen; XLSForm-Arbeitsmappe in ein Formular verwandeln; Fragebogen aus KoboToolbox umziehen; Umfrage aus Excel mit den Blättern survey und choices laden; von ODK Collect wechseln; Formulare aus einem anderen Erhebungswerkzeug übernehmen',
    fr: 'importer un formulaire ODK; reprendre notre enquête Kobo; transformer un classeur XLSForm en formulaire; migrer depuis KoboToolbox; charger une enquête Excel avec les feuilles survey et choices; quitter ODK Collect; reprendre les questionnaires d’un autre outil de collecte',
    es: 'importar un formulario ODK; traer nuestra encuesta de Kobo; convertir un libro XLSForm en formulario; migrar desde KoboToolbox; cargar una encuesta de Excel con las hojas survey y choices; dejar ODK Collect; traer cuestionarios de otra herramienta de recolección',
  },
  create_form: {
    en: 'make an entry form for work orders; build a data entry screen; set up a questionnaire; a checklist the crew fills in on the phone; create a form with a table of visits in it; new input mask for customers; design a form with conditional fields; keep this layout as a form; form that enters order and its lines at once; add an inspection form; publish a form for everybody',
    de: 'Formular für Aufträge anlegen; Eingabemaske bauen; Fragebogen einrichten; Checkliste für die Mannschaft auf dem Telefon; Formular mit einer Liste von Besuchen anlegen; neue Erfassungsmaske für Kunden; Formular mit bedingten Feldern entwerfen',
    fr: 'créer un formulaire de saisie des commandes; construire un masque de saisie; préparer un questionnaire; liste de contrôle à remplir sur le téléphone; formulaire avec une liste de visites; nouveau masque pour les clients; concevoir un formulaire à champs conditionnels',
    es: 'crear un formulario para pedidos; construir una pantalla de captura; preparar un cuestionario; lista de comprobación para rellenar en el teléfono; formulario con una lista de visitas; nueva pantalla para clientes; diseñar un formulario con campos condicionales',
  },
  update_form: {
    en: 'add a field to the form; change the layout of an entry screen; reorder the sections of a form; make a question of the form mandatory; rename a form; share my form with everybody; take a question out of the questionnaire; hide a form from agents; somebody else changed the form meanwhile; show a hidden form to keys again; mend a form that names a deleted field; new version of an input mask',
    de: 'Feld zum Formular hinzufügen; Aufbau einer Eingabemaske ändern; Abschnitte eines Formulars umordnen; Frage des Formulars zur Pflicht machen; Formular umbenennen; Formular für alle freigeben; Formular reparieren, das ein gelöschtes Feld nennt',
    fr: 'ajouter un champ au formulaire; changer la mise en page d’un masque de saisie; réordonner les sections d’un formulaire; rendre une question obligatoire; renommer un formulaire; partager mon formulaire avec tous; réparer un formulaire qui nomme un champ supprimé',
    es: 'añadir un campo al formulario; cambiar el diseño de una pantalla de captura; reordenar las secciones de un formulario; hacer obligatoria una pregunta; cambiar el nombre de un formulario; compartir mi formulario con todos; reparar un formulario que nombra un campo borrado',
  },
  delete_form: {
    en: 'remove an entry form; delete a questionnaire nobody uses; throw away a form; get rid of an input mask; take the old inspection form away; drop a checklist; erase a form and keep its records; we no longer need this entry screen; clean up unused forms; discard a copied form; remove a form that is broken',
    de: 'Formular löschen; Fragebogen entfernen, den niemand nutzt; Eingabemaske loswerden; alte Checkliste wegwerfen; Formular löschen und Datensätze behalten; diese Erfassungsmaske brauchen wir nicht mehr; kopiertes Formular verwerfen',
    fr: 'supprimer un formulaire; enlever un questionnaire inutilisé; se débarrasser d’un masque de saisie; jeter une vieille liste de contrôle; supprimer le formulaire et garder les fiches; nous n’avons plus besoin de ce masque; écarter un formulaire copié',
    es: 'borrar un formulario; quitar un cuestionario que nadie usa; deshacerse de una pantalla de captura; tirar una lista de comprobación vieja; borrar el formulario y conservar los registros; ya no necesitamos esta pantalla; descartar un formulario copiado',
  },
  clone_form: {
    en: 'duplicate a form; copy an entry screen to change it; start a new form from an existing one; variant of the inspection form; second copy of a questionnaire; reuse the layout of a form under another name; fork a form; same checklist for another region; take over the form of a colleague; make my own version of the team form; base a new mask on this one',
    de: 'Formular kopieren; Eingabemaske duplizieren, um sie zu ändern; neues Formular aus einem vorhandenen; Variante des Prüfformulars; Aufbau eines Formulars unter anderem Namen nutzen; gleiche Checkliste für eine andere Region; Formular eines Kollegen übernehmen',
    fr: 'dupliquer un formulaire; copier un masque de saisie pour le changer; partir d’un formulaire existant; variante du formulaire d’inspection; réutiliser la mise en page sous un autre nom; même liste de contrôle pour une autre région; reprendre le formulaire d’un collègue',
    es: 'duplicar un formulario; copiar una pantalla de captura para cambiarla; partir de un formulario existente; variante del formulario de inspección; reutilizar el diseño con otro nombre; la misma lista para otra región; tomar el formulario de un compañero',
  },
  list_form_versions: {
    en: 'history of a form; earlier layouts of an entry screen; who changed the form last; when was this question added to the form; versions of a questionnaire; which layout did we have last week; change log of an input mask; how often was the form changed; previous designs of a checklist; see old states of a form; what versions can be brought back',
    de: 'Verlauf eines Formulars; frühere Fassungen einer Eingabemaske; wer hat das Formular zuletzt geändert; wann wurde das Formular geändert; Versionen eines Fragebogens; welchen Aufbau hatten wir letzte Woche; alte Stände eines Formulars sehen',
    fr: 'historique d’un formulaire; anciennes mises en page d’un masque; qui a changé le formulaire en dernier; quand le formulaire a-t-il été changé; versions d’un questionnaire; quelle mise en page avions-nous la semaine dernière; voir les anciens états du formulaire',
    es: 'historial de un formulario; diseños anteriores de una pantalla; quién cambió el formulario por última vez; cuándo se cambió el formulario; versiones de un cuestionario; qué diseño teníamos la semana pasada; ver estados antiguos del formulario',
  },
  restore_form_version: {
    en: 'undo the last change of a form; bring back the old layout; roll back an entry screen; return to the version of last week; the new form is worse, take the old one; revert a questionnaire; reset a form to an earlier state; make the first layout current again; go back one version of the form; somebody broke the form, undo it; reinstate an old checklist',
    de: 'letzte Änderung eines Formulars rückgängig machen; alten Aufbau zurückholen; Eingabemaske zurücksetzen; zur Fassung von letzter Woche zurück; das neue Formular ist schlechter, das alte nehmen; Fragebogen zurückrollen; ersten Aufbau wieder gelten lassen',
    fr: 'annuler le dernier changement d’un formulaire; remettre l’ancienne mise en page; revenir en arrière sur un masque; retourner à la version de la semaine dernière; le nouveau formulaire est pire, reprendre l’ancien; rétablir un questionnaire; rendre la première mise en page actuelle',
    es: 'deshacer el último cambio de un formulario; recuperar el diseño antiguo; volver atrás una pantalla de captura; volver a la versión de la semana pasada; el formulario nuevo es peor, tomar el viejo; revertir un cuestionario; hacer vigente otra vez el primer diseño',
  },
  validate_form: {
    en: 'is this form sound before I store it; check the layout of an entry mask for mistakes; does every field of my form exist; would the entry screen be accepted; try a form out without keeping it; why would this entry form be refused; test a form definition; which required fields could stay hidden in the form; find typing errors in a form draft; check conditions of a form; dry run of a data entry form; proofread a questionnaire layout',
    de: 'stimmt dieses Formular, bevor ich es anlege; Eingabemaske auf Fehler prüfen; gibt es alle Felder des Formulars; Formular ausprobieren, ohne es zu behalten; welche Pflichtfelder könnten im Formular verborgen bleiben; Formularentwurf prüfen; würde das Formular angenommen',
    fr: 'ce formulaire est-il correct avant de le garder; vérifier les erreurs d’un masque de saisie; tous les champs du formulaire existent-ils; essayer un formulaire sans le garder; quels champs obligatoires pourraient rester cachés; contrôler un brouillon de formulaire; le formulaire serait-il accepté',
    es: 'está bien este formulario antes de guardarlo; revisar errores de una pantalla de captura; existen todos los campos del formulario; probar un formulario sin guardarlo; qué campos obligatorios podrían quedar ocultos; comprobar un borrador de formulario; se aceptaría el formulario',
  },
}
