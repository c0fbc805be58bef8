import type { Phrases } from '#platform/operation.ts'

export const schemaPhrases: Phrases = {
  whoami: {
    en: 'who am I logged in as; does my key work; what am I allowed to do; which company and user is this; check the credential; my own roles and permissions; what time is it for me; test the connection; current user, principal, session identity',
    de: 'wer bin ich; als wer bin ich angemeldet; funktioniert mein Schlüssel; welche Rechte habe ich',
    fr: 'qui suis-je; ma clé fonctionne-t-elle; quels sont mes droits; avec quel compte suis-je connecté',
    es: 'quién soy; funciona mi clave; qué permisos tengo; con qué cuenta he entrado',
  },
  list_languages: {
    en: 'which languages are supported; language codes and ids; can names be shown in German; available locales; what languages can labels be translated into; i18n locale list',
    de: 'welche Sprachen gibt es; Sprachcodes auflisten; verfügbare Übersetzungssprachen',
    fr: 'quelles langues sont disponibles; codes de langue; liste des langues prises en charge',
    es: 'qué idiomas hay; códigos de idioma; lista de lenguas disponibles',
  },
  get_schema: {
    en: 'which data types exist; what types can a column have; which filter operators are there; kinds of values the platform supports; vocabulary of the product: types, operators, aggregates, cardinalities; capabilities and enumerations; which message channels and storage providers are built in; meta-schema',
    de: 'welche Datentypen gibt es; welche Filteroperatoren gibt es; was kann die Plattform an Feldtypen',
    fr: 'quels types de données existent; quels opérateurs de filtre; types de champs possibles',
    es: 'qué tipos de datos existen; qué operadores de filtro hay; tipos de campos posibles',
  },
  get_dictionary: {
    en: 'everything we store, all tables with all their columns; full data model of this company; names of all entities and fields at once; overview of our own structure; data dictionary; show the whole schema of the tenant; what do we keep data about',
    de: 'alle Tabellen mit allen Spalten; das ganze Datenmodell; Überblick über alles, was wir speichern',
    fr: 'toutes les tables avec leurs colonnes; le modèle de données complet; tout ce que nous enregistrons',
    es: 'todas las tablas con sus columnas; el modelo de datos completo; todo lo que guardamos',
  },
  list_verticals: {
    en: 'which industries are there; lines of business; sectors such as utilities, aviation, field service; industry list; branches of trade',
    de: 'welche Branchen gibt es; Geschäftsbereiche auflisten; Industriezweige',
    fr: "quels secteurs d'activité; liste des branches; métiers couverts",
    es: 'qué sectores hay; lista de industrias; ramos de actividad',
  },
  list_categories: {
    en: 'which categories are there; groups that fields and tables are sorted into; folders for definitions; how are properties grouped; list taxonomy of definitions',
    de: 'welche Kategorien gibt es; Gruppen von Feldern anzeigen; wie sind die Definitionen sortiert',
    fr: 'quelles catégories existent; groupes de champs; comment les définitions sont classées',
    es: 'qué categorías hay; grupos de campos; cómo se clasifican las definiciones',
  },
  save_category: {
    en: 'make a new category; rename a category; add a group to sort fields into; create a folder for definitions; new heading for our tables; upsert category',
    de: 'eine Kategorie anlegen; Kategorie umbenennen; neue Gruppe für Felder',
    fr: 'créer une catégorie; renommer une catégorie; nouveau groupe de champs',
    es: 'crear una categoría; cambiar el nombre de una categoría; nuevo grupo de campos',
  },
  delete_category: {
    en: 'remove a category; drop an empty group of fields; get rid of a category nobody uses; delete folder of definitions',
    de: 'eine Kategorie löschen; leere Gruppe entfernen; Kategorie wegwerfen',
    fr: 'supprimer une catégorie; retirer un groupe vide; effacer une catégorie',
    es: 'borrar una categoría; quitar un grupo vacío; eliminar una categoría',
  },
  list_time_zones: {
    en: 'which time zones exist; name of the zone of Berlin; UTC offsets; IANA tz database names; list of regions for the clock; time zone codes to choose from',
    de: 'welche Zeitzonen gibt es; Zeitverschiebung zu UTC; Liste der Zeitzonen',
    fr: 'quels fuseaux horaires existent; décalage par rapport à UTC; liste des fuseaux',
    es: 'qué zonas horarias hay; diferencia con UTC; lista de husos horarios',
  },
  import_catalog: {
    en: 'create the whole data model in one go; make many tables and fields at once; load definitions from a JSON document; set up our structure from a file; bring the model of another company in; bulk create entities and properties transactionally; deploy schema; provision data model',
    de: 'das ganze Datenmodell auf einmal anlegen; viele Tabellen und Felder gleichzeitig erstellen; Definitionen aus einem Dokument übernehmen',
    fr: 'créer tout le modèle de données en une fois; plusieurs tables et champs en un seul appel; charger des définitions depuis un document',
    es: 'crear todo el modelo de datos de una vez; muchas tablas y campos en una llamada; cargar definiciones desde un documento',
  },
  export_catalog: {
    en: 'save our definitions to a file; copy the data model to another company; download the structure of our tables; back up the model without the data; dump schema as JSON; move definitions from test to production',
    de: 'unsere Definitionen exportieren; Datenmodell als Datei herunterladen; Struktur in einen anderen Mandanten übertragen',
    fr: 'exporter nos définitions; télécharger la structure des tables; copier le modèle vers une autre société',
    es: 'exportar nuestras definiciones; descargar la estructura de las tablas; copiar el modelo a otra empresa',
  },
  browse_catalog: {
    en: 'which ready-made tables can I install; templates for work orders and sites; what ships with the product; look at the shared library of definitions; prebuilt models to choose from; marketplace of entities; is there something for maintenance already',
    de: 'welche fertigen Vorlagen gibt es; mitgelieferte Tabellen ansehen; was kann man installieren',
    fr: 'quels modèles prêts à installer; définitions livrées avec le produit; parcourir la bibliothèque partagée',
    es: 'qué plantillas listas hay; definiciones que vienen con el producto; ver la biblioteca compartida',
  },
  install_catalog_items: {
    en: 'install a ready-made table; take a template into our company; copy the shipped work order definition; use the standard model; add predefined fields from the library; apply a template',
    de: 'eine fertige Vorlage installieren; mitgelieferte Definition übernehmen; Standardtabelle einrichten',
    fr: 'installer un modèle prêt; reprendre une définition livrée; ajouter la table standard des ordres de travail',
    es: 'instalar una plantilla; copiar una definición del producto; añadir la tabla estándar de órdenes',
  },
  validate_catalog: {
    en: 'check a whole model document before importing; are there mistakes in my definition file; dry run of the catalog import; lint a document with several tables, issues only; verify tables and fields together without saving',
    de: 'ein Modelldokument vor dem Import prüfen; Fehler in der Definitionsdatei finden; Probelauf für das Datenmodell',
    fr: "vérifier un document de modèle avant l'import; y a-t-il des erreurs dans mes définitions; simulation de l'import du modèle",
    es: 'comprobar un documento de modelo antes de importar; hay errores en mis definiciones; prueba del modelo sin guardar',
  },
}
