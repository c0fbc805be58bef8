import type { Phrases } from '#platform/operation.ts'

export const recordPhrases: Phrases = {
  create_form_record: {
    en: 'fill in a form; submit an entry form; enter a new record by its form; hand in a filled form; save what was typed into the mask; new entry with the fixed values of the form; record an inspection on its form; submit the checklist I have filled in; send a completed form; log a job by the intake form; put a new order in by the form; fill out the questionnaire for me',
    de: 'Formular ausfüllen; ausgefülltes Formular abschicken; neuen Eintrag über das Formular anlegen; Eingabemaske speichern; Checkliste einreichen; mit dem Formular etwas erfassen',
    fr: 'remplir un formulaire; envoyer le formulaire rempli; nouvelle saisie par le formulaire; enregistrer ce qui est saisi dans le masque; remettre la liste de contrôle; saisir une fiche',
    es: 'rellenar un formulario; enviar el formulario completado; nueva entrada con el formulario; guardar lo escrito en la pantalla de captura; entregar la lista de control; registrar con la ficha',
  },
  get_form_record: {
    en: 'open a record in its form; show the filled form; what was entered in this form; read one submission; load an entry into the mask to edit it; view a filled checklist; one record with the rows of its form; show me the answers on this form; open an entry for editing; look at what somebody handed in; fetch a submission with its line items; reopen a filled form',
    de: 'Eintrag im Formular öffnen; ausgefülltes Formular anzeigen; was wurde in das Formular eingetragen; Eintrag zum Bearbeiten laden; eine Einreichung ansehen; Datensatz mit den Zeilen des Formulars',
    fr: 'ouvrir une fiche dans son formulaire; voir le formulaire rempli; ce qui a été saisi dans le formulaire; charger une saisie pour la modifier; voir une réponse au formulaire; fiche avec les lignes du formulaire',
    es: 'abrir un registro en su formulario; ver el formulario rellenado; qué se escribió en el formulario; cargar una entrada para editarla; ver una respuesta del formulario; registro con las filas del formulario',
  },
  update_form_record: {
    en: 'change an entry through its form; correct what was filled in; edit a submission; save changes made in the mask; amend a filled form; update an answer on a form; fix a typo in what was handed in; change a value where the form allows it; resubmit a corrected form; edit under the rules of the form; alter an entered checklist; overwrite one answer of a filled form',
    de: 'Eintrag über das Formular ändern; ausgefülltes Formular berichtigen; Änderungen in der Maske speichern; eine Antwort im Formular ändern; Einreichung nachbessern; Tippfehler im Formular beheben',
    fr: 'modifier une saisie par le formulaire; corriger un formulaire rempli; enregistrer les changements du masque; changer une réponse du formulaire; rectifier une fiche remise; corriger une faute dans le formulaire',
    es: 'cambiar una entrada con el formulario; corregir un formulario rellenado; guardar los cambios de la pantalla; cambiar una respuesta del formulario; rectificar lo entregado; corregir una errata en el formulario',
  },
  delete_form_record: {
    en: 'remove an entry of a form; delete a submission; throw away a filled form; discard what was handed in; take an entered checklist away; erase an answer sheet; delete through the form; drop a wrong submission; remove a record where the form allows it; get rid of a test entry of a form; withdraw a filled form; delete an entry with its rows in the form',
    de: 'Eintrag eines Formulars löschen; Einreichung entfernen; ausgefülltes Formular verwerfen; über das Formular löschen; falsche Einreichung wegwerfen; Testeintrag des Formulars löschen',
    fr: 'supprimer une saisie du formulaire; effacer un formulaire rempli; jeter une réponse remise; supprimer par le formulaire; retirer une fausse saisie; enlever une saisie de test du formulaire',
    es: 'borrar una entrada del formulario; eliminar un formulario rellenado; descartar lo entregado; borrar mediante el formulario; quitar una respuesta errónea; eliminar una entrada de prueba del formulario',
  },
  list_form_records: {
    en: 'which entries does this form reach; list submissions; all filled forms; records that the form shows; who has handed in what; entries behind a form; browse answers of a questionnaire; the records I can open in this mask; overview of filled checklists; page through what was entered by a form; latest submissions; entries under the lock of a form',
    de: 'welche Einträge erreicht das Formular; Einreichungen auflisten; alle ausgefüllten Formulare; Datensätze des Formulars; Antworten des Fragebogens durchsehen; letzte Einreichungen',
    fr: 'quelles fiches le formulaire atteint-il; lister les réponses du formulaire; tous les formulaires remplis; fiches du formulaire; parcourir les réponses du questionnaire; dernières saisies du formulaire',
    es: 'qué registros alcanza el formulario; listar las respuestas del formulario; todos los formularios rellenados; registros del formulario; recorrer las respuestas del cuestionario; últimas entradas del formulario',
  },
  validate_form_record: {
    en: 'is what I typed into the form complete; check my entries before I hand them in; would the form take these values; which required fields are still empty; try a submission without saving; does my filled form have mistakes; check answers against the form; why would this entry be refused; is this value allowed in the form; proofread what I filled in; test values against the rules of a form; am I done with this form',
    de: 'ist mein ausgefülltes Formular vollständig; Eingaben prüfen, bevor ich sie abschicke; würde das Formular diese Werte nehmen; welche Pflichtfelder sind noch leer; Einreichung ausprobieren, ohne zu speichern; warum würde der Eintrag abgelehnt',
    fr: 'ma saisie est-elle complète; vérifier mes réponses avant de les envoyer; le formulaire accepterait-il ces valeurs; quels champs obligatoires sont encore vides; essayer un envoi sans enregistrer; pourquoi la saisie serait-elle refusée',
    es: 'está completo lo que escribí en el formulario; revisar mis respuestas antes de enviarlas; aceptaría el formulario estos valores; qué campos obligatorios siguen vacíos; probar un envío sin guardar; por qué se rechazaría la entrada',
  },
  create_form_record_multi: {
    en: 'hand in a form with its line items; submit an order and its positions together; new record with rows all or nothing; save header and lines at once; enter an inspection with its defects; parent and children in one go by the form; submit a form with a table in it; a delivery note with all its lines; save the form and its sub-lists atomically; timesheet with its entries; record a visit with the parts used; one save for master and detail',
    de: 'Formular mit Positionen einreichen; Auftrag und Positionen zusammen anlegen; Kopf und Zeilen auf einmal speichern; neue Prüfung mit ihren Mängeln; Lieferschein mit allen Zeilen; alles oder nichts mit Unterlisten speichern',
    fr: 'envoyer un formulaire avec ses lignes; commande et positions ensemble; enregistrer en-tête et lignes d’un coup; nouvelle inspection avec ses défauts; bon de livraison avec ses lignes; tout ou rien avec les sous-listes',
    es: 'enviar un formulario con sus líneas; pedido y posiciones juntos; guardar cabecera y líneas a la vez; nueva inspección con sus defectos; albarán con todas sus líneas; todo o nada con las sublistas',
  },
  update_form_record_multi: {
    en: 'change an order together with its lines; edit a filled form and its table; add and remove rows of a submission; update header and positions at once; replace line items of an entry; save all edits of a form with sub-lists; change some rows and delete others in one save; amend an inspection and its defects; add a line to a delivery note by its form; drop a position from a filled form; atomic update of master and detail; sync an edited form with its rows',
    de: 'Auftrag mit seinen Positionen ändern; ausgefülltes Formular und seine Tabelle bearbeiten; Zeilen einer Einreichung hinzufügen und entfernen; Kopf und Positionen auf einmal ändern; Position aus dem Formular nehmen; Prüfung und Mängel nachtragen',
    fr: 'modifier une commande avec ses lignes; changer un formulaire rempli et son tableau; ajouter et retirer des lignes d’une saisie; en-tête et positions modifiés ensemble; enlever une ligne du formulaire; compléter une inspection et ses défauts',
    es: 'cambiar un pedido con sus líneas; editar un formulario rellenado y su tabla; añadir y quitar filas de una entrada; cabecera y posiciones a la vez; quitar una línea del formulario; completar una inspección y sus defectos',
  },
  validate_form_record_multi: {
    en: 'are the header and all lines fine; check an order with its positions before handing it in; which row of my form is wrong; would the form and its table be taken; try out a submission with rows; test a form with line items without saving; find mistakes in the rows of a form; are there enough rows in the form; proofread a filled form with its lines; is this delivery note complete with its lines; check master and detail',
    de: 'sind Kopf und Zeilen in Ordnung; Auftrag mit Positionen vor dem Abschicken prüfen; welche Zeile im Formular ist falsch; Einreichung mit Zeilen ausprobieren; reichen die Zeilen im Formular; Formular samt Tabelle prüfen',
    fr: 'en-tête et lignes sont-ils corrects; vérifier une commande avec ses lignes avant l’envoi; quelle ligne du formulaire est fausse; essayer une saisie avec lignes; y a-t-il assez de lignes; contrôler le formulaire et son tableau',
    es: 'están bien la cabecera y las líneas; revisar un pedido con sus líneas antes de enviarlo; qué fila del formulario está mal; probar una entrada con filas; hay filas suficientes; comprobar el formulario y su tabla',
  },
  validate_form_record_multi_update: {
    en: 'would my edits of the order and its lines be accepted; check changed rows before saving; try out an edit of a form with rows; may I delete these lines; test changes to header and positions; are my corrections to the lines right; would removing a row leave too few; dry run of an edit with sub-lists; check an amended inspection; validate edits of master and detail; will the changed table be taken',
    de: 'würden meine Änderungen an Auftrag und Zeilen angenommen; geänderte Zeilen vor dem Speichern prüfen; darf ich diese Positionen löschen; Änderung mit Zeilen ausprobieren; blieben zu wenige Zeilen übrig; Nachträge einer Prüfung kontrollieren',
    fr: 'mes changements de commande et de lignes seraient-ils acceptés; vérifier les lignes changées avant d’enregistrer; puis-je supprimer ces positions; essayer une modification avec lignes; resterait-il trop peu de lignes; contrôler une inspection complétée',
    es: 'se aceptarían mis cambios del pedido y sus líneas; revisar las filas cambiadas antes de guardar; puedo borrar estas posiciones; probar un cambio con filas; quedarían muy pocas filas; comprobar una inspección corregida',
  },
}
