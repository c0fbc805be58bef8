import type { Phrases } from '#platform/operation.ts'

export const propertiesPhrases: Phrases = {
  list_properties: {
    en: 'which fields exist already; all field definitions; show every column type we have defined; is there already a field for phone numbers; list attributes; reusable fields of the company; have we got something for serial numbers already; every blank we ever defined; all the fields there are, whichever table; catalogue of attributes; which fields are not used; look for a field by its name; fields of type date; what can I reuse for a new form',
    de: 'welche Felder gibt es schon; alle Felddefinitionen anzeigen; vorhandene Eigenschaften auflisten; haben wir schon etwas für Seriennummern; sämtliche Felder, egal welche Tabelle; welche Felder sind Datumsfelder; ein Feld nach Namen suchen',
    fr: 'quels champs existent déjà; toutes les définitions de champs; liste des propriétés; avons-nous déjà quelque chose pour les numéros de série; tous les champs, quelle que soit la table; quels champs sont des dates; chercher un champ par nom',
    es: 'qué campos existen ya; todas las definiciones de campos; lista de propiedades; tenemos ya algo para números de serie; todos los campos, sea cual sea la tabla; qué campos son fechas; buscar un campo por nombre',
  },
  describe_property: {
    en: 'rules of one field; what may be typed into this field; maximum length, pattern and limits of a property; details of one field definition with its translations; regular expression, minimum and maximum of a field; is this field sensitive; which file types does it accept; why was my value for the postal code refused, what is allowed; how long may the text be; which format does the date field want; everything about the field Status; unit and decimals of a field; type of one field; what does this attribute mean; how must I write the phone number',
    de: 'Regeln eines Feldes anzeigen; was darf in dieses Feld; Grenzen und Muster eines Feldes; wie lang darf der Text sein; welches Format will das Datumsfeld; alles über das Feld Status; Datentyp eines Feldes; was bedeutet dieses Feld',
    fr: "règles d'un champ; que peut-on saisir dans ce champ; limites et format d'une propriété; quelle longueur peut avoir le texte; quel format veut le champ de date; tout sur le champ Statut; type d'un champ; que signifie ce champ",
    es: 'reglas de un campo; qué se puede escribir en este campo; límites y patrón de una propiedad; qué longitud puede tener el texto; qué formato quiere el campo de fecha; todo sobre el campo Estado; tipo de un campo; qué significa este campo',
  },
  create_property: {
    en: 'define a new field; make a new kind of column; new attribute with a data type; I want to record the serial number of things; create a drop-down with options; add a date field definition; new typed field with validation rules; we need something to write the temperature in; a yes or no tick box; a new blank for the signature; make a field for photos; add a number field with two decimals; place to note the mileage; a status with open and closed to choose from; set up a new property; field for GPS position; new multiple choice',
    de: 'ein neues Feld definieren; neue Eigenschaft anlegen; eine Auswahlliste erstellen; neues Datumsfeld; wir brauchen ein Feld für die Temperatur; ein Häkchen für ja oder nein; Feld für Unterschrift oder Foto anlegen; Zahlenfeld mit zwei Nachkommastellen; neuer Status mit offen und erledigt zur Auswahl',
    fr: 'définir un nouveau champ; créer une propriété; nouvelle liste déroulante; nouveau champ de date; il nous faut un champ pour la température; une case oui ou non; créer un champ pour la signature ou la photo; champ numérique à deux décimales; nouveau statut au choix ouvert ou fermé',
    es: 'definir un campo nuevo; crear una propiedad; nueva lista desplegable; nuevo campo de fecha; necesitamos un campo para la temperatura; una casilla de sí o no; crear un campo para la firma o la foto; campo numérico con dos decimales; nuevo estado a elegir abierto o cerrado',
  },
  update_property: {
    en: 'change the rules of a field; allow longer texts; make the pattern stricter; raise the maximum; rename a field definition; mark a field as sensitive; alter validation, regex or decimal places; edit property constraints; the number may be higher than before; accept letters in the postal code too; two decimals instead of none; this field holds personal data; only PDFs should be taken in that field; turn a text into a date; relax the check of a field; the phone number format is too strict; give an attribute another name everywhere; default value or unit of a field',
    de: 'Regeln eines Feldes ändern; längere Texte erlauben; Muster oder Grenzwert anpassen; Feld umbenennen; Zahl darf größer sein als bisher; auch Buchstaben in der Postleitzahl zulassen; Feld enthält persönliche Daten; Prüfung eines Feldes lockern; nur PDFs in dem Feld annehmen',
    fr: "changer les règles d'un champ; autoriser des textes plus longs; modifier la limite ou le format; renommer un champ; le nombre peut être plus grand qu'avant; accepter aussi des lettres dans le code postal; champ avec données personnelles; assouplir le contrôle d'un champ; n'accepter que des PDF dans ce champ",
    es: 'cambiar las reglas de un campo; permitir textos más largos; modificar el límite o el patrón; renombrar un campo; el número puede ser mayor que antes; aceptar también letras en el código postal; campo con datos personales; aflojar la comprobación de un campo; aceptar solo PDF en ese campo',
  },
  delete_property: {
    en: 'remove a field definition; delete an unused field for good; drop an attribute nobody uses; get rid of a property; we never need the fax number, do away with it everywhere; throw a field out of the whole system; clean up attributes without any table; this blank was defined by mistake; scrap the temperature field; erase a property',
    de: 'eine Felddefinition löschen; ungenutztes Feld entfernen; Eigenschaft wegwerfen; Faxnummer brauchen wir nirgends mehr; Feld ganz aus dem System werfen; Felder ohne Tabelle aufräumen; Feld irrtümlich angelegt',
    fr: "supprimer la définition d'un champ; effacer un champ inutilisé; retirer une propriété pour toujours; plus besoin du fax nulle part; jeter un champ hors du système; nettoyer les champs sans table; champ créé par erreur",
    es: 'borrar la definición de un campo; eliminar un campo que no se usa; quitar una propiedad para siempre; ya no necesitamos el fax en ningún sitio; tirar un campo de todo el sistema; limpiar campos sin tabla; campo creado por error',
  },
  set_property_display: {
    en: 'translate the label of a field; what a field is called in German; caption and help text of a field; show a friendlier name for a column; set field label per language; localise property name and description; write "Due on" above the column instead of DueDate; workers should read the blanks in Polish; short explanation below a field; hint for people who fill in the form; text next to the tick box; a better title for a field; words that users see for an attribute',
    de: 'Beschriftung eines Feldes übersetzen; wie das Feld auf Deutsch heißt; Feldname und Beschreibung je Sprache; über der Spalte soll Fällig am stehen; kurze Erklärung unter dem Feld; Hinweis zum Ausfüllen; besserer Titel für ein Feld',
    fr: "traduire le libellé d'un champ; nom du champ en français; étiquette et description d'un champ; au-dessus de la colonne il faut lire Échéance; courte explication sous le champ; indication pour remplir; meilleur titre pour un champ",
    es: 'traducir la etiqueta de un campo; nombre del campo en español; rótulo y descripción de un campo; sobre la columna debe poner Vence el; breve explicación debajo del campo; ayuda para rellenar; mejor título para un campo',
  },
  lock_property_translation: {
    en: 'protect a translation from being overwritten by the machine; this label is final; freeze the wording of a field in one language; stop automatic translation of a field; unlock a translated label; do not let the robot change our wording; keep my German caption as it is; this label was checked by a human; pin the French name of a field; allow the machine to translate the label again',
    de: 'Übersetzung eines Feldes sperren; Beschriftung vor maschineller Übersetzung schützen; Übersetzung wieder freigeben; unsere Formulierung darf nicht automatisch geändert werden; deutsche Beschriftung so festhalten; Beschriftung wurde von Menschen geprüft',
    fr: "verrouiller la traduction d'un champ; protéger un libellé de la traduction automatique; déverrouiller une traduction; ne pas laisser la machine changer notre libellé; garder le nom français tel quel; libellé vérifié par une personne",
    es: 'bloquear la traducción de un campo; proteger un rótulo de la traducción automática; desbloquear una traducción; no dejar que la máquina cambie nuestro rótulo; mantener el nombre español tal cual; rótulo revisado por una persona',
  },
  list_property_options: {
    en: 'which values can I pick from; choices of a drop-down; allowed values of a status field; items of a select list; enumerate enum values; tree of options; what can the status be; which kinds of defect may I choose; possible answers for this field; what stands in the drop-down; list of reasons to tick; codes behind the choices; what may I select as priority',
    de: 'welche Werte hat die Auswahlliste; erlaubte Werte eines Feldes; Optionen anzeigen; was kann der Status sein; welche Arten von Mangel kann ich wählen; mögliche Antworten in diesem Feld; was steht in der Auswahl',
    fr: "valeurs d'une liste déroulante; choix possibles d'un champ; afficher les options; quels peuvent être les statuts; quels types de défaut puis-je choisir; réponses possibles pour ce champ; que contient la liste à choix",
    es: 'valores de una lista desplegable; opciones posibles de un campo; mostrar las opciones; cuáles pueden ser los estados; qué tipos de defecto puedo elegir; respuestas posibles de este campo; qué hay en el desplegable',
  },
  save_property_option: {
    en: 'add a choice to a drop-down; new status value; rename an option; another item in the pick list; extend an enum; add a sub-option under a parent; let people pick "on hold" as well; one more reason to choose from; call the choice urgent instead of high; new priority level; there should be a value for rented machines in the list; change the wording of a choice; colour or label of a status value; put in another answer',
    de: 'Auswahlwert hinzufügen; neue Option in der Liste; Option umbenennen; neuer Status; man soll auch „pausiert“ wählen können; noch ein Grund zur Auswahl; Auswahlwert anders nennen; neue Dringlichkeitsstufe; weitere Antwortmöglichkeit',
    fr: 'ajouter un choix à une liste; nouvelle valeur de statut; renommer une option; on doit aussi pouvoir choisir « en pause »; encore un motif au choix; appeler un choix autrement; nouveau niveau de priorité; autre réponse possible',
    es: 'añadir una opción a una lista; nuevo valor de estado; renombrar una opción; que se pueda elegir también «en pausa»; otro motivo para elegir; llamar de otra forma a una opción; nuevo nivel de prioridad; otra respuesta posible',
  },
  reorder_property_options: {
    en: 'change the order of choices; put "urgent" on top of the drop-down; sort the pick list; move an option up; rearrange enum values; most used answers first in the drop-down; list the priorities from low to high; the choices are in a silly order; urgent should come before normal; arrange the statuses differently',
    de: 'Reihenfolge der Auswahlwerte ändern; Optionen sortieren; Option nach oben schieben; häufige Antworten zuerst in der Auswahl; Prioritäten von niedrig nach hoch ordnen; die Auswahl ist falsch sortiert; dringend soll vor normal stehen',
    fr: "changer l'ordre des choix; trier les options d'une liste; mettre une option en premier; les réponses fréquentes en premier dans la liste; ranger les priorités de basse à haute; les choix sont mal rangés; urgent avant normal",
    es: 'cambiar el orden de las opciones; ordenar la lista desplegable; subir una opción; las respuestas frecuentes primero en el desplegable; ordenar las prioridades de baja a alta; las opciones están mal ordenadas; urgente antes de normal',
  },
  delete_property_option: {
    en: 'remove a choice from a drop-down; take a status value away; delete an option nobody uses; drop an enum value; nobody should pick "on hold" any more; this answer is out of date, take it off the drop-down; strike a reason from the choices; throw a priority level away; a status too many; one choice is wrong, remove it',
    de: 'einen Auswahlwert löschen; Option aus der Liste entfernen; Status nicht mehr anbieten; niemand soll mehr „pausiert“ wählen; veraltete Antwort aus der Auswahl nehmen; einen Grund streichen; ein Status zu viel',
    fr: "supprimer un choix d'une liste; enlever une option; retirer une valeur de statut; personne ne doit plus choisir « en pause »; réponse périmée à ôter des choix; rayer un motif; un statut de trop",
    es: 'quitar una opción de una lista; borrar un valor de estado; eliminar una opción; nadie debe elegir ya «en pausa»; respuesta obsoleta, quitarla del desplegable; tachar un motivo; sobra un estado',
  },
  get_property_usage: {
    en: 'where is this field used; which tables have this column; who is affected if I change this field; dependencies of a property; impact analysis of a field; who needs the field fax number; can I drop this attribute without harm; on which forms does the blank appear; what depends on this field; which kinds of things share this field; does any table still have it; what breaks if I alter the field',
    de: 'wo wird dieses Feld verwendet; welche Tabellen haben dieses Feld; wen betrifft eine Änderung des Feldes; wer braucht das Feld Faxnummer; kann ich das Feld gefahrlos löschen; in welchen Formularen kommt das Feld vor; was hängt von diesem Feld ab',
    fr: "où ce champ est-il utilisé; quelles tables ont ce champ; impact du changement d'un champ; qui a besoin du champ fax; puis-je supprimer ce champ sans dommage; dans quels formulaires ce champ apparaît-il; qu'est-ce qui dépend de ce champ",
    es: 'dónde se usa este campo; qué tablas tienen este campo; a quién afecta cambiar un campo; quién necesita el campo fax; puedo borrar este campo sin problema; en qué formularios aparece el campo; qué depende de este campo',
  },
  validate_property: {
    en: 'check a field definition without creating it; is my new field correct; dry run of create_property; what is wrong with this field definition; would this field be accepted; try a new field out without making it; look over the attribute I drafted; test a field definition; are the rules of my planned field consistent',
    de: 'Felddefinition prüfen ohne anzulegen; ist mein neues Feld richtig; Probelauf für ein Feld; würde dieses Feld so angenommen; Entwurf eines Feldes kontrollieren, nichts speichern; passen die Regeln meines geplanten Feldes zusammen',
    fr: "vérifier la définition d'un champ sans le créer; mon nouveau champ est-il correct; essai à blanc d'un champ; ce champ serait-il accepté; contrôler le brouillon d'un champ sans enregistrer; les règles du champ prévu sont-elles cohérentes",
    es: 'comprobar la definición de un campo sin crearlo; es correcto mi nuevo campo; prueba de un campo; se aceptaría este campo; revisar el borrador de un campo sin guardar; son coherentes las reglas del campo previsto',
  },
  test_property_value: {
    en: 'would this value be accepted by the field; try an example against the pattern; does the regex match; check sample inputs against min and max; is this phone number valid here; can I type 12345 into the postal code; is "n/a" all right for this field; try whether an entry passes the rules; does 3.14159 fit; see if a number plate is accepted; check one value beforehand; is this input OK',
    de: 'würde dieser Wert angenommen; Beispielwerte gegen die Regeln testen; passt der Wert zum Muster; kann ich 12345 als Postleitzahl eingeben; geht „k. A.“ in diesem Feld; vorab prüfen, ob eine Eingabe passt; wird dieses Kennzeichen akzeptiert',
    fr: "cette valeur serait-elle acceptée; essayer des exemples contre les règles; la valeur respecte-t-elle le format; puis-je saisir 12345 comme code postal; « n/a » est-il permis dans ce champ; vérifier d'avance si une saisie passe; cette plaque est-elle acceptée",
    es: 'se aceptaría este valor; probar ejemplos contra las reglas; cumple el valor el patrón; puedo poner 12345 como código postal; vale «n/d» en este campo; comprobar antes si una entrada pasa; se acepta esta matrícula',
  },
  save_property_option_filter: {
    en: 'only some choices should be offered in this table; make a subset of the options; limit a drop-down to a few values; named selection of options; restrict enum values for an entity; for trucks people should see only some of the defects; shorten the drop-down for one form; offer a part of the list; not every status makes sense here, leave some out; a named group of choices; show fewer answers on inspections',
    de: 'Teilmenge der Auswahlwerte anlegen; nur manche Optionen anbieten; Auswahlliste einschränken; bei Lastwagen nur einige der Mängel anbieten; Auswahl für ein Formular kürzen; nicht jeder Status passt hier, manche weglassen',
    fr: "créer un sous-ensemble d'options; ne proposer que certains choix; restreindre une liste déroulante; pour les camions ne proposer que certains défauts; raccourcir la liste pour un formulaire; tous les statuts ne conviennent pas ici, en laisser de côté",
    es: 'crear un subconjunto de opciones; ofrecer solo algunas opciones; restringir una lista desplegable; para camiones ofrecer solo algunos defectos; acortar el desplegable para un formulario; no todos los estados valen aquí, dejar fuera algunos',
  },
  list_property_option_filters: {
    en: 'which subsets of options exist; show the restricted pick lists of a field; named selections of choices; option filters of a property; which shortened drop-downs have we made; named groups of choices for a field; where are the answers narrowed; show the reduced lists',
    de: 'welche Teilmengen der Optionen gibt es; eingeschränkte Auswahllisten anzeigen; welche gekürzten Auswahllisten haben wir; benannte Gruppen von Auswahlwerten; verkürzte Listen eines Feldes',
    fr: "quels sous-ensembles d'options existent; afficher les listes restreintes d'un champ; quelles listes raccourcies avons-nous; groupes de choix nommés; listes réduites d'un champ",
    es: 'qué subconjuntos de opciones hay; mostrar las listas restringidas de un campo; qué listas acortadas tenemos; grupos de opciones con nombre; listas reducidas de un campo',
  },
}
