import type { Phrases } from '#platform/operation.ts'

export const contextPhrases: Phrases = {
  hydrate_context: {
    en: 'everything about this order in one go; a record together with all that belongs to it; load the customer with site, visits and readings; the whole dossier of a machine; all the background on one case; fetch related data in one call; give me the full picture of this job; read the order and what hangs on it; gather all that is known about a site; one package with the record and its surroundings; the complete story of an inspection as of last month; load the bundle of a context',
    de: 'alles zu diesem Auftrag auf einmal; ein Datensatz mit allem, was dazugehört; die ganze Akte einer Maschine; Kunde samt Standort und Besuchen laden; zusammengehörige Daten in einem Aufruf holen; das vollständige Bild zu diesem Fall; alles, was über den Standort bekannt ist',
    fr: "tout sur cette commande en une fois; une fiche avec tout ce qui s'y rattache; le dossier complet d'une machine; charger le client avec son site et ses visites; rassembler les données liées en un appel; la vue d'ensemble de ce cas; tout ce que l'on sait du site",
    es: 'todo sobre este pedido de una vez; un registro con todo lo que le pertenece; el expediente completo de una máquina; cargar el cliente con su sitio y sus visitas; reunir los datos relacionados en una llamada; la imagen completa de este caso; todo lo que se sabe del sitio',
  },
  resolve_tokens: {
    en: 'fill in the blanks of a letter; put the customer name and the date into this sentence; mail merge for one record; replace placeholders by real values; turn a template into finished text; write the reminder with the details of the order filled in; insert fields of a record into a text; complete this template for job 7; preview a message with its variables; substitute variables in double square brackets; what does this text say for this customer',
    de: 'Platzhalter durch Werte ersetzen; Kundenname und Datum in den Satz einsetzen; Serienbrief für einen Datensatz; eine Vorlage ausfüllen; aus der Vorlage den fertigen Text machen; Text mit den Angaben des Auftrags füllen; Variablen in eckigen Klammern ersetzen',
    fr: "remplacer les espaces réservés par des valeurs; mettre le nom du client et la date dans la phrase; publipostage pour une fiche; remplir un modèle de texte; faire d'un modèle un texte fini; compléter le texte avec les détails de la commande; substituer les variables entre crochets",
    es: 'sustituir los marcadores por valores; poner el nombre del cliente y la fecha en la frase; combinar correspondencia para un registro; rellenar una plantilla de texto; convertir la plantilla en texto terminado; completar el texto con los datos del pedido; reemplazar variables entre corchetes',
  },
  list_contexts: {
    en: 'which bundles of related records are there; list of contexts; which packages of data can I load; what dossiers have been set up; names of all contexts; are there prepared collections of related data; which contexts are broken; show the defined data bundles; what sets of surroundings exist; is there a context for orders',
    de: 'welche Datenbündel gibt es; Kontexte auflisten; welche Akten sind eingerichtet; welche Zusammenstellungen zusammengehöriger Daten gibt es; Namen aller Kontexte; gibt es einen Kontext für Aufträge',
    fr: 'quels lots de données liées existent; liste des contextes; quels dossiers sont définis; quels ensembles de données puis-je charger; noms de tous les contextes; y a-t-il un contexte pour les commandes',
    es: 'qué paquetes de datos relacionados hay; lista de contextos; qué expedientes están definidos; qué conjuntos de datos puedo cargar; nombres de todos los contextos; hay un contexto para los pedidos',
  },
  get_context: {
    en: 'what does this context include; show one context; which relatives does the bundle bring; definition of a context; how many visits does the dossier load; is anything wrong with this context; what is inside the order bundle; look at the includes of a context; how is the dossier put together; settings of one data bundle',
    de: 'was enthält dieser Kontext; einen Kontext ansehen; was bringt das Datenbündel mit; Definition eines Kontexts; wie ist die Akte zusammengestellt; stimmt etwas mit dem Kontext nicht',
    fr: "que contient ce contexte; voir un contexte; ce qu'apporte le lot de données; définition d'un contexte; comment le dossier est-il composé; quelque chose ne va pas avec ce contexte",
    es: 'qué incluye este contexto; ver un contexto; qué trae el paquete de datos; definición de un contexto; cómo está compuesto el expediente; hay algo mal en este contexto',
  },
  create_context: {
    en: 'set up a bundle of an order with its site and visits; define what belongs to a record; new context; put together a dossier of related records; say which children and parents shall be loaded along; prepare data for letters and messages; make a package of surroundings for inspections; describe the background that a text may draw from; build a data bundle; decide what comes along with a customer',
    de: 'einen neuen Kontext anlegen; festlegen, was zu einem Datensatz gehört; Auftrag mit Standort und Besuchen bündeln; eine Akte aus verbundenen Datensätzen zusammenstellen; Daten für Briefe und Nachrichten vorbereiten; bestimmen, was mitgeladen wird',
    fr: 'créer un nouveau contexte; définir ce qui appartient à une fiche; regrouper une commande avec son site et ses visites; composer un dossier de fiches liées; préparer les données pour les lettres et messages; décider de ce qui est chargé avec',
    es: 'crear un contexto nuevo; definir qué pertenece a un registro; agrupar un pedido con su sitio y sus visitas; componer un expediente de registros relacionados; preparar datos para cartas y mensajes; decidir qué se carga junto',
  },
  update_context: {
    en: 'change what a context includes; add readings to the bundle; load more visits along with the order; take the site out of the dossier; rename a context; repair a context that names something deleted; raise the number of rows that an include brings; edit the includes; sort the visits in the bundle differently; mend a broken data bundle',
    de: 'ändern, was ein Kontext enthält; Messwerte ins Datenbündel aufnehmen; Standort aus der Akte nehmen; Kontext umbenennen; mehr Besuche mitladen; einen kaputten Kontext reparieren',
    fr: 'changer ce que contient un contexte; ajouter les relevés au lot de données; retirer le site du dossier; renommer un contexte; charger davantage de visites avec la commande; réparer un contexte cassé',
    es: 'cambiar lo que incluye un contexto; añadir lecturas al paquete de datos; quitar el sitio del expediente; cambiar el nombre de un contexto; cargar más visitas con el pedido; reparar un contexto roto',
  },
  delete_context: {
    en: 'remove a context; delete a data bundle that nobody uses; get rid of the old dossier definition; drop a context; throw away a bundle of includes; the order context is no longer needed; discard a context definition; clean up unused contexts; erase the package of surroundings; the dossier was set up by mistake',
    de: 'einen Kontext löschen; ein ungenutztes Datenbündel entfernen; die alte Aktendefinition loswerden; der Kontext wird nicht mehr gebraucht; überflüssige Kontexte aufräumen; Zusammenstellung wegwerfen',
    fr: "supprimer un contexte; retirer un lot de données inutilisé; se débarrasser de l'ancienne définition de dossier; le contexte n'est plus nécessaire; nettoyer les contextes inutiles; jeter un regroupement de fiches",
    es: 'eliminar un contexto; quitar un paquete de datos sin uso; deshacerse de la definición del expediente; el contexto ya no hace falta; limpiar contextos que sobran; tirar una agrupación de registros',
  },
  validate_context: {
    en: 'check a context before saving it; are the includes right; test a data bundle definition; would this context be accepted; find mistakes in a context; is visit really a child of order in my bundle; dry run of a context definition; proofread the includes; does the dossier definition have errors; try a context out without keeping it',
    de: 'einen Kontext vor dem Speichern prüfen; stimmen die eingebundenen Datensätze; Fehler in einem Kontext finden; würde dieser Kontext angenommen; Datenbündel-Definition testen; Aktendefinition probehalber prüfen',
    fr: "vérifier un contexte avant de l'enregistrer; les inclusions sont-elles justes; trouver les erreurs d'un contexte; ce contexte serait-il accepté; tester la définition du lot de données; essayer un contexte sans le garder",
    es: 'comprobar un contexto antes de guardarlo; están bien las inclusiones; encontrar errores en un contexto; se aceptaría este contexto; probar la definición del paquete de datos; ensayar un contexto sin conservarlo',
  },
  list_context_tokens: {
    en: 'which placeholders can I use in a text; list of available tokens; what variables are there for this letter; names of fields for a template; which values can a message show; all merge fields of the order; what may stand between double square brackets; catalogue of placeholders; which tokens does the context offer; what do I write to get the site name',
    de: 'welche Platzhalter kann ich verwenden; Liste der verfügbaren Tokens; welche Variablen gibt es für diesen Brief; Seriendruckfelder des Auftrags; was darf zwischen eckigen Klammern stehen; welche Werte kann die Nachricht zeigen',
    fr: 'quels espaces réservés puis-je utiliser; liste des jetons disponibles; quelles variables pour cette lettre; champs de fusion de la commande; que peut-on écrire entre doubles crochets; quelles valeurs le message peut-il montrer',
    es: 'qué marcadores puedo usar; lista de marcadores disponibles; qué variables hay para esta carta; campos de combinación del pedido; qué puede ir entre dobles corchetes; qué valores puede mostrar el mensaje',
  },
}
