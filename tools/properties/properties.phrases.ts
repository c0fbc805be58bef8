import type { Phrases } from '#platform/operation.ts'

export const propertiesPhrases: Phrases = {
  list_properties: {
    en: 'which fields exist already; all field definitions; show every column type we have defined; is there already a field for phone numbers; list attributes; reusable fields of the company',
    de: 'welche Felder gibt es schon; alle Felddefinitionen anzeigen; vorhandene Eigenschaften auflisten',
    fr: 'quels champs existent déjà; toutes les définitions de champs; liste des propriétés',
    es: 'qué campos existen ya; todas las definiciones de campos; lista de propiedades',
  },
  describe_property: {
    en: 'rules of one field; what may be typed into this field; maximum length, pattern and limits of a property; details of one field definition with its translations; regular expression, minimum and maximum of a field; is this field sensitive; which file types does it accept',
    de: 'Regeln eines Feldes anzeigen; was darf in dieses Feld; Grenzen und Muster eines Feldes',
    fr: "règles d'un champ; que peut-on saisir dans ce champ; limites et format d'une propriété",
    es: 'reglas de un campo; qué se puede escribir en este campo; límites y patrón de una propiedad',
  },
  create_property: {
    en: 'define a new field; make a new kind of column; new attribute with a data type; I want to record the serial number of things; create a drop-down with options; add a date field definition; new typed field with validation rules',
    de: 'ein neues Feld definieren; neue Eigenschaft anlegen; eine Auswahlliste erstellen; neues Datumsfeld',
    fr: 'définir un nouveau champ; créer une propriété; nouvelle liste déroulante; nouveau champ de date',
    es: 'definir un campo nuevo; crear una propiedad; nueva lista desplegable; nuevo campo de fecha',
  },
  update_property: {
    en: 'change the rules of a field; allow longer texts; make the pattern stricter; raise the maximum; rename a field definition; mark a field as sensitive; alter validation, regex or decimal places; edit property constraints',
    de: 'Regeln eines Feldes ändern; längere Texte erlauben; Muster oder Grenzwert anpassen; Feld umbenennen',
    fr: "changer les règles d'un champ; autoriser des textes plus longs; modifier la limite ou le format; renommer un champ",
    es: 'cambiar las reglas de un campo; permitir textos más largos; modificar el límite o el patrón; renombrar un campo',
  },
  delete_property: {
    en: 'remove a field definition; delete an unused field for good; drop an attribute nobody uses; get rid of a property',
    de: 'eine Felddefinition löschen; ungenutztes Feld entfernen; Eigenschaft wegwerfen',
    fr: "supprimer la définition d'un champ; effacer un champ inutilisé; retirer une propriété pour toujours",
    es: 'borrar la definición de un campo; eliminar un campo que no se usa; quitar una propiedad para siempre',
  },
  set_property_display: {
    en: 'translate the label of a field; what a field is called in German; caption and help text of a field; show a friendlier name for a column; set field label per language; localise property name and description',
    de: 'Beschriftung eines Feldes übersetzen; wie das Feld auf Deutsch heißt; Feldname und Beschreibung je Sprache',
    fr: "traduire le libellé d'un champ; nom du champ en français; étiquette et description d'un champ",
    es: 'traducir la etiqueta de un campo; nombre del campo en español; rótulo y descripción de un campo',
  },
  lock_property_translation: {
    en: 'protect a translation from being overwritten by the machine; this label is final; freeze the wording of a field in one language; stop automatic translation of a field; unlock a translated label',
    de: 'Übersetzung eines Feldes sperren; Beschriftung vor maschineller Übersetzung schützen; Übersetzung wieder freigeben',
    fr: "verrouiller la traduction d'un champ; protéger un libellé de la traduction automatique; déverrouiller une traduction",
    es: 'bloquear la traducción de un campo; proteger un rótulo de la traducción automática; desbloquear una traducción',
  },
  list_property_options: {
    en: 'which values can I pick from; choices of a drop-down; allowed values of a status field; items of a select list; enumerate enum values; tree of options',
    de: 'welche Werte hat die Auswahlliste; erlaubte Werte eines Feldes; Optionen anzeigen',
    fr: "valeurs d'une liste déroulante; choix possibles d'un champ; afficher les options",
    es: 'valores de una lista desplegable; opciones posibles de un campo; mostrar las opciones',
  },
  save_property_option: {
    en: 'add a choice to a drop-down; new status value; rename an option; another item in the pick list; extend an enum; add a sub-option under a parent',
    de: 'Auswahlwert hinzufügen; neue Option in der Liste; Option umbenennen; neuer Status',
    fr: 'ajouter un choix à une liste; nouvelle valeur de statut; renommer une option',
    es: 'añadir una opción a una lista; nuevo valor de estado; renombrar una opción',
  },
  reorder_property_options: {
    en: 'change the order of choices; put "urgent" on top of the drop-down; sort the pick list; move an option up; rearrange enum values',
    de: 'Reihenfolge der Auswahlwerte ändern; Optionen sortieren; Option nach oben schieben',
    fr: "changer l'ordre des choix; trier les options d'une liste; mettre une option en premier",
    es: 'cambiar el orden de las opciones; ordenar la lista desplegable; subir una opción',
  },
  delete_property_option: {
    en: 'remove a choice from a drop-down; take a status value away; delete an option nobody uses; drop an enum value',
    de: 'einen Auswahlwert löschen; Option aus der Liste entfernen; Status nicht mehr anbieten',
    fr: "supprimer un choix d'une liste; enlever une option; retirer une valeur de statut",
    es: 'quitar una opción de una lista; borrar un valor de estado; eliminar una opción',
  },
  get_property_usage: {
    en: 'where is this field used; which tables have this column; who is affected if I change this field; dependencies of a property; impact analysis of a field',
    de: 'wo wird dieses Feld verwendet; welche Tabellen haben dieses Feld; wen betrifft eine Änderung des Feldes',
    fr: "où ce champ est-il utilisé; quelles tables ont ce champ; impact du changement d'un champ",
    es: 'dónde se usa este campo; qué tablas tienen este campo; a quién afecta cambiar un campo',
  },
  validate_property: {
    en: 'check a field definition without creating it; is my new field correct; dry run of create_property; what is wrong with this field definition',
    de: 'Felddefinition prüfen ohne anzulegen; ist mein neues Feld richtig; Probelauf für ein Feld',
    fr: "vérifier la définition d'un champ sans le créer; mon nouveau champ est-il correct; essai à blanc d'un champ",
    es: 'comprobar la definición de un campo sin crearlo; es correcto mi nuevo campo; prueba de un campo',
  },
  test_property_value: {
    en: 'would this value be accepted by the field; try an example against the pattern; does the regex match; check sample inputs against min and max; is this phone number valid here',
    de: 'würde dieser Wert angenommen; Beispielwerte gegen die Regeln testen; passt der Wert zum Muster',
    fr: 'cette valeur serait-elle acceptée; essayer des exemples contre les règles; la valeur respecte-t-elle le format',
    es: 'se aceptaría este valor; probar ejemplos contra las reglas; cumple el valor el patrón',
  },
  save_property_option_filter: {
    en: 'only some choices should be offered in this table; make a subset of the options; limit a drop-down to a few values; named selection of options; restrict enum values for an entity',
    de: 'Teilmenge der Auswahlwerte anlegen; nur manche Optionen anbieten; Auswahlliste einschränken',
    fr: "créer un sous-ensemble d'options; ne proposer que certains choix; restreindre une liste déroulante",
    es: 'crear un subconjunto de opciones; ofrecer solo algunas opciones; restringir una lista desplegable',
  },
  list_property_option_filters: {
    en: 'which subsets of options exist; show the restricted pick lists of a field; named selections of choices; option filters of a property',
    de: 'welche Teilmengen der Optionen gibt es; eingeschränkte Auswahllisten anzeigen',
    fr: "quels sous-ensembles d'options existent; afficher les listes restreintes d'un champ",
    es: 'qué subconjuntos de opciones hay; mostrar las listas restringidas de un campo',
  },
}
