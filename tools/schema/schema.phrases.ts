import type { Phrases } from '#platform/operation.ts'

export const schemaPhrases: Phrases = {
  whoami: {
    en: 'who am I logged in as; does my key work; what am I allowed to do; which company and user is this; check the credential; my own roles and permissions; what time is it for me; test the connection; current user, principal, session identity; who am I; which account am I using; is my token still good; which rights do I have; may I delete things; what can I do here; am I an administrator; on whose behalf am I working; which customer am I connected to; am I in the right workspace; first call to see whether I am connected; my id and name; my time zone and language',
    de: 'wer bin ich; als wer bin ich angemeldet; funktioniert mein Schlüssel; welche Rechte habe ich; unter welchem Namen arbeite ich; darf ich hier löschen; bin ich Administrator; in welcher Firma bin ich; gilt mein Token noch; was darf ich hier',
    fr: 'qui suis-je; ma clé fonctionne-t-elle; quels sont mes droits; avec quel compte suis-je connecté; sous quel nom est-ce que je travaille; ai-je le droit de supprimer; suis-je administrateur; dans quelle société suis-je; mon jeton est-il encore bon; que puis-je faire ici',
    es: 'quién soy; funciona mi clave; qué permisos tengo; con qué cuenta he entrado; con qué nombre trabajo; tengo permiso para borrar; soy administrador; en qué empresa estoy; vale todavía mi token; qué puedo hacer aquí',
  },
  list_languages: {
    en: 'which languages are supported; language codes and ids; can names be shown in German; available locales; what languages can labels be translated into; i18n locale list; can it speak Polish; is French possible; in how many languages does the product work; code for Portuguese; which tongues can I choose for a person; does it do Arabic',
    de: 'welche Sprachen gibt es; Sprachcodes auflisten; verfügbare Übersetzungssprachen; kann es Polnisch; in wie vielen Sprachen gibt es das; Kürzel für Portugiesisch; welche Sprachen kann ich für eine Person wählen',
    fr: 'quelles langues sont disponibles; codes de langue; liste des langues prises en charge; est-ce disponible en polonais; en combien de langues; code pour le portugais; quelles langues choisir pour une personne',
    es: 'qué idiomas hay; códigos de idioma; lista de lenguas disponibles; está en polaco; en cuántos idiomas funciona; código del portugués; qué idiomas puedo elegir para una persona',
  },
  get_schema: {
    en: 'which data types exist; what types can a column have; which filter operators are there; kinds of values the platform supports; vocabulary of the product: types, operators, aggregates, cardinalities; capabilities and enumerations; which message channels and storage providers are built in; meta-schema; what sorts of field can be made; is there a type for money or coordinates; can a field hold a signature; which comparisons may a filter use; list of type names; which operators does a query understand; what is the platform capable of; how are dates typed; kinds of message providers available',
    de: 'welche Datentypen gibt es; welche Filteroperatoren gibt es; was kann die Plattform an Feldtypen; gibt es einen Typ für Geld oder Koordinaten; kann ein Feld eine Unterschrift halten; womit kann ein Filter vergleichen; Namen aller Feldtypen',
    fr: "quels types de données existent; quels opérateurs de filtre; types de champs possibles; y a-t-il un type pour l'argent ou les coordonnées; un champ peut-il contenir une signature; quelles comparaisons dans un filtre; noms de tous les types",
    es: 'qué tipos de datos existen; qué operadores de filtro hay; tipos de campos posibles; hay un tipo para dinero o coordenadas; puede un campo contener una firma; qué comparaciones admite un filtro; nombres de todos los tipos',
  },
  get_dictionary: {
    en: 'everything we store, all tables with all their columns; full data model of this company; names of all entities and fields at once; overview of our own structure; data dictionary; show the whole schema of the tenant; what do we keep data about; explain our whole set-up; one big picture of tables and fields; what information does our company hold; everything that is defined here in one answer; I am new, show me what we have; all forms with their blanks; glossary of our tables and columns; map of our data',
    de: 'alle Tabellen mit allen Spalten; das ganze Datenmodell; Überblick über alles, was wir speichern; erkläre unseren ganzen Aufbau; welche Informationen hält unsere Firma; ich bin neu, zeig mir, was wir haben; alle Formulare mit ihren Feldern',
    fr: 'toutes les tables avec leurs colonnes; le modèle de données complet; tout ce que nous enregistrons; expliquer toute notre organisation des données; quelles informations garde notre société; je suis nouveau, montre ce que nous avons; tous les formulaires et leurs champs',
    es: 'todas las tablas con sus columnas; el modelo de datos completo; todo lo que guardamos; explicar toda nuestra estructura; qué información guarda nuestra empresa; soy nuevo, enséñame lo que tenemos; todos los formularios con sus campos',
  },
  list_verticals: {
    en: 'which industries are there; lines of business; sectors such as utilities, aviation, field service; industry list; branches of trade; which trades does the product serve; is it made for hospitals or for building; our line of business; industries to choose from; which sector can I put a table under',
    de: 'welche Branchen gibt es; Geschäftsbereiche auflisten; Industriezweige; für welche Gewerbe ist das Produkt; ist es für Krankenhäuser oder für den Bau; zu welcher Branche gehören wir',
    fr: "quels secteurs d'activité; liste des branches; métiers couverts; pour quels métiers est fait le produit; hôpitaux ou bâtiment; dans quel secteur sommes-nous",
    es: 'qué sectores hay; lista de industrias; ramos de actividad; para qué oficios es el producto; hospitales o construcción; en qué sector estamos',
  },
  list_categories: {
    en: 'which categories are there; groups that fields and tables are sorted into; folders for definitions; how are properties grouped; list taxonomy of definitions; into which sections are our tables divided; which groupings are there; headings that fields are filed under; what drawers do we have; show the sections; topics that definitions are sorted by',
    de: 'welche Kategorien gibt es; Gruppen von Feldern anzeigen; wie sind die Definitionen sortiert; in welche Abschnitte sind unsere Tabellen geteilt; welche Rubriken gibt es; unter welchen Überschriften stehen die Felder',
    fr: 'quelles catégories existent; groupes de champs; comment les définitions sont classées; en quelles sections nos tables sont-elles réparties; quelles rubriques existent; sous quels titres sont rangés les champs',
    es: 'qué categorías hay; grupos de campos; cómo se clasifican las definiciones; en qué secciones se dividen nuestras tablas; qué apartados hay; bajo qué títulos están los campos',
  },
  save_category: {
    en: 'make a new category; rename a category; add a group to sort fields into; create a folder for definitions; new heading for our tables; upsert category; open a new section called Safety; we want to group the tables by department; another drawer for fields; call the section Maintenance instead; add a heading; make a group',
    de: 'eine Kategorie anlegen; Kategorie umbenennen; neue Gruppe für Felder; einen Abschnitt Sicherheit eröffnen; Tabellen nach Abteilung gruppieren; Rubrik anders nennen; neue Überschrift für Tabellen',
    fr: 'créer une catégorie; renommer une catégorie; nouveau groupe de champs; ouvrir une section Sécurité; regrouper les tables par service; renommer la rubrique; nouveau titre pour nos tables',
    es: 'crear una categoría; cambiar el nombre de una categoría; nuevo grupo de campos; abrir una sección Seguridad; agrupar las tablas por departamento; cambiar el nombre de la sección; nuevo título para nuestras tablas',
  },
  delete_category: {
    en: 'remove a category; drop an empty group of fields; get rid of a category nobody uses; delete folder of definitions; the section Safety is empty, take it away; we do not need that grouping; throw a heading away; close a drawer; one group too many',
    de: 'eine Kategorie löschen; leere Gruppe entfernen; Kategorie wegwerfen; Abschnitt Sicherheit ist leer, weg damit; diese Gruppierung brauchen wir nicht; Rubrik entfernen',
    fr: "supprimer une catégorie; retirer un groupe vide; effacer une catégorie; la section Sécurité est vide, l'enlever; cette rubrique ne sert plus; jeter un regroupement",
    es: 'borrar una categoría; quitar un grupo vacío; eliminar una categoría; la sección Seguridad está vacía, quitarla; esta agrupación no hace falta; tirar un apartado',
  },
  list_time_zones: {
    en: 'which time zones exist; name of the zone of Berlin; UTC offsets; IANA tz database names; list of regions for the clock; time zone codes to choose from; what is the right name for Spanish time; how many hours is Lima behind; clock settings to choose from; summer time of a region; what do I enter as zone for Tokyo; all clocks of the world',
    de: 'welche Zeitzonen gibt es; Zeitverschiebung zu UTC; Liste der Zeitzonen; wie heißt die Zone für Spanien; wie viele Stunden ist Lima zurück; was trage ich für Tokio als Zone ein',
    fr: "quels fuseaux horaires existent; décalage par rapport à UTC; liste des fuseaux; comment s'appelle le fuseau de l'Espagne; combien d'heures de retard à Lima; quel fuseau pour Tokyo",
    es: 'qué zonas horarias hay; diferencia con UTC; lista de husos horarios; cómo se llama la zona de España; cuántas horas de diferencia con Lima; qué zona pongo para Tokio',
  },
  import_catalog: {
    en: 'create the whole data model in one go; make many tables and fields at once; load definitions from a JSON document; set up our structure from a file; bring the model of another company in; bulk create entities and properties transactionally; deploy schema; provision data model; set up everything we need in one step; here is a description of all our tables, make them; put the structure of the test company into the real one; build orders, sites and machines together; roll our model out; apply a definition document; restore exported definitions; create several kinds of things together with their fields',
    de: 'das ganze Datenmodell auf einmal anlegen; viele Tabellen und Felder gleichzeitig erstellen; Definitionen aus einem Dokument übernehmen; alles, was wir brauchen, in einem Schritt einrichten; hier ist die Beschreibung aller Tabellen, leg sie an; Aufbau der Testfirma in die echte bringen; exportierte Definitionen wieder einspielen',
    fr: 'créer tout le modèle de données en une fois; plusieurs tables et champs en un seul appel; charger des définitions depuis un document; tout mettre en place en une étape; voici la description de toutes nos tables, crée-les; porter la structure de la société de test dans la vraie; réinjecter les définitions exportées',
    es: 'crear todo el modelo de datos de una vez; muchas tablas y campos en una llamada; cargar definiciones desde un documento; montar todo lo que necesitamos en un paso; aquí está la descripción de todas las tablas, créalas; llevar la estructura de la empresa de prueba a la real; volver a cargar las definiciones exportadas',
  },
  export_catalog: {
    en: 'save our definitions to a file; copy the data model to another company; download the structure of our tables; back up the model without the data; dump schema as JSON; move definitions from test to production; hand our set-up to a sister company; write all definitions out; keep a copy of how our tables are built; get the structure as a document; take the model along; put our definitions under version control',
    de: 'unsere Definitionen exportieren; Datenmodell als Datei herunterladen; Struktur in einen anderen Mandanten übertragen; unseren Aufbau einer Schwesterfirma geben; alle Definitionen herausschreiben; festhalten, wie unsere Tabellen gebaut sind; Definitionen versionieren',
    fr: 'exporter nos définitions; télécharger la structure des tables; copier le modèle vers une autre société; transmettre notre structure à une société sœur; écrire toutes les définitions; garder une copie de la construction des tables; versionner les définitions',
    es: 'exportar nuestras definiciones; descargar la estructura de las tablas; copiar el modelo a otra empresa; pasar nuestra estructura a una empresa hermana; escribir todas las definiciones; guardar copia de cómo están hechas las tablas; versionar las definiciones',
  },
  browse_catalog: {
    en: 'which ready-made tables can I install; templates for work orders and sites; what ships with the product; look at the shared library of definitions; prebuilt models to choose from; marketplace of entities; is there something for maintenance already; do you have a finished inspection form; is there a pattern I can start from; what comes in the box; examples of tables from the maker; starter kits; which standard things can be taken over; save me the work of defining work orders',
    de: 'welche fertigen Vorlagen gibt es; mitgelieferte Tabellen ansehen; was kann man installieren; habt ihr ein fertiges Prüfformular; gibt es ein Muster zum Anfangen; was liefert der Hersteller mit; Starterpakete',
    fr: "quels modèles prêts à installer; définitions livrées avec le produit; parcourir la bibliothèque partagée; avez-vous un formulaire d'inspection tout prêt; un modèle pour commencer; que fournit l'éditeur; kits de départ",
    es: 'qué plantillas listas hay; definiciones que vienen con el producto; ver la biblioteca compartida; tenéis un formulario de inspección ya hecho; un modelo para empezar; qué trae el fabricante; paquetes de inicio',
  },
  install_catalog_items: {
    en: "install a ready-made table; take a template into our company; copy the shipped work order definition; use the standard model; add predefined fields from the library; apply a template; yes, give me the standard work order; use the maker's inspection form; take that starter kit; put the finished tables into our system; add what you ship for maintenance; install from the library",
    de: 'eine fertige Vorlage installieren; mitgelieferte Definition übernehmen; Standardtabelle einrichten; ja, den Standardauftrag übernehmen; das Prüfformular des Herstellers benutzen; dieses Starterpaket nehmen; fertige Tabellen bei uns einbauen',
    fr: "installer un modèle prêt; reprendre une définition livrée; ajouter la table standard des ordres de travail; oui, prendre la commande standard; utiliser le formulaire d'inspection de l'éditeur; prendre ce kit de départ; mettre les tables toutes faites chez nous",
    es: 'instalar una plantilla; copiar una definición del producto; añadir la tabla estándar de órdenes; sí, tomar la orden estándar; usar el formulario de inspección del fabricante; coger ese paquete de inicio; poner las tablas ya hechas en nuestro sistema',
  },
  validate_catalog: {
    en: 'check a whole model document before importing; are there mistakes in my definition file; dry run of the catalog import; lint a document with several tables, issues only; verify tables and fields together without saving; is the document with all our tables in order; would the whole set-up be accepted; check everything first, write nothing; test the roll-out of our model; find what is wrong in the definitions I drafted; proofread my structure',
    de: 'ein Modelldokument vor dem Import prüfen; Fehler in der Definitionsdatei finden; Probelauf für das Datenmodell; ist das Dokument mit allen Tabellen in Ordnung; würde der ganze Aufbau angenommen; erst alles prüfen, nichts anlegen; entworfene Definitionen kontrollieren',
    fr: "vérifier un document de modèle avant l'import; y a-t-il des erreurs dans mes définitions; simulation de l'import du modèle; le document avec toutes nos tables est-il en ordre; toute la structure serait-elle acceptée; tout vérifier d'abord, ne rien créer; relire les définitions préparées",
    es: 'comprobar un documento de modelo antes de importar; hay errores en mis definiciones; prueba del modelo sin guardar; está bien el documento con todas las tablas; se aceptaría toda la estructura; comprobar todo primero, no crear nada; repasar las definiciones preparadas',
  },
}
