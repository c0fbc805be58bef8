import type { Phrases } from '#platform/operation.ts'

export const entitiesPhrases: Phrases = {
  list_entities: {
    en: 'which tables are there; what kinds of records do we have; list record types; names of all object types; what can I store; show collections, models, classes of data',
    de: 'welche Tabellen gibt es; welche Arten von Datensätzen haben wir; Objekttypen auflisten',
    fr: "quelles tables existent; quels types d'enregistrements avons-nous; liste des types d'objets",
    es: 'qué tablas hay; qué tipos de registros tenemos; lista de tipos de objetos',
  },
  describe_entity: {
    en: 'which fields does a work order have; columns of one table; what must be filled in for a customer; structure of one record type; required fields and key of an entity; describe table',
    de: 'welche Felder hat ein Auftrag; Spalten einer Tabelle; Pflichtfelder anzeigen; Aufbau einer Tabelle',
    fr: "quels champs a une commande; colonnes d'une table; champs obligatoires; structure d'une table",
    es: 'qué campos tiene una orden; columnas de una tabla; campos obligatorios; estructura de una tabla',
  },
  create_entity: {
    en: 'make a new table; new kind of record; I want to keep track of vehicles; create a record type with fields and a key; define an object type, class, collection or model; start storing contracts',
    de: 'eine neue Tabelle anlegen; neue Art von Datensatz erstellen; ich möchte Fahrzeuge erfassen; neuer Objekttyp',
    fr: "créer une nouvelle table; nouveau type d'enregistrement; je veux suivre des véhicules; définir un type d'objet",
    es: 'crear una tabla nueva; nuevo tipo de registro; quiero registrar vehículos; definir un tipo de objeto',
  },
  update_entity: {
    en: 'rename a table; change the name of a record type; move an entity to another category or industry; edit the table definition itself; alter table name',
    de: 'eine Tabelle umbenennen; Kategorie einer Tabelle ändern; Objekttyp ändern',
    fr: "renommer une table; changer la catégorie d'une table; modifier un type d'enregistrement",
    es: 'cambiar el nombre de una tabla; cambiar la categoría de una tabla; modificar un tipo de registro',
  },
  delete_entity: {
    en: 'delete a whole table; remove a record type we no longer need; drop table; get rid of an entity definition; we stopped tracking vehicles, remove the table',
    de: 'eine ganze Tabelle löschen; Objekttyp entfernen; Tabelle, die keiner braucht, wegwerfen',
    fr: "supprimer une table entière; retirer un type d'enregistrement; effacer une table inutile",
    es: 'borrar una tabla entera; eliminar un tipo de registro; quitar una tabla que no se usa',
  },
  set_entity_display: {
    en: 'translate the name of a table; what a record type is called in French; caption of a table for readers; friendly plural name of an entity; label and description of an entity per language',
    de: 'Tabellenname übersetzen; wie die Tabelle auf Deutsch heißt; Anzeigename einer Tabelle',
    fr: "traduire le nom d'une table; nom affiché d'une table en français; libellé d'un type d'enregistrement",
    es: 'traducir el nombre de una tabla; nombre de la tabla en español; rótulo de un tipo de registro',
  },
  clone_entity: {
    en: 'copy a table definition under a new name; duplicate a record type; make a table just like this one; use an existing entity as a template; same fields, other name',
    de: 'eine Tabelle kopieren; Tabelle unter neuem Namen duplizieren; gleiche Felder, anderer Name',
    fr: "copier une table sous un autre nom; dupliquer un type d'enregistrement; même structure, autre nom",
    es: 'copiar una tabla con otro nombre; duplicar un tipo de registro; mismos campos, otro nombre',
  },
  validate_entity: {
    en: 'check a table definition without creating it; is my record type correct; dry run of create_entity; find mistakes in an entity before saving',
    de: 'Tabellendefinition prüfen ohne anzulegen; ist meine Tabelle richtig definiert; Probelauf für eine Tabelle',
    fr: "vérifier la définition d'une table sans la créer; ma table est-elle correcte; essai à blanc d'une table",
    es: 'comprobar la definición de una tabla sin crearla; es correcta mi tabla; prueba de una tabla',
  },
  get_entity_usage: {
    en: 'who uses this table; which tables depend on it; can I delete this record type safely; impact of removing or renaming an entity; incoming references of a table',
    de: 'wer verwendet diese Tabelle; welche Tabellen hängen davon ab; kann ich die Tabelle gefahrlos löschen',
    fr: 'qui utilise cette table; quelles tables en dépendent; puis-je supprimer cette table sans risque',
    es: 'quién usa esta tabla; qué tablas dependen de ella; puedo borrar esta tabla sin riesgo',
  },
  attach_property: {
    en: 'add a column to a table; put a field on work orders; customers should also have a phone number; use an existing field in a record type; add attribute to entity; alter table add column',
    de: 'eine Spalte zu einer Tabelle hinzufügen; Feld in einer Tabelle aufnehmen; Kunden sollen auch eine Telefonnummer haben',
    fr: 'ajouter une colonne à une table; mettre un champ sur les commandes; les clients doivent aussi avoir un téléphone',
    es: 'añadir una columna a una tabla; poner un campo en las órdenes; los clientes también deben tener teléfono',
  },
  update_entity_property: {
    en: 'make a field required in a table; make a column optional; allow several values in a field; part of the key; change one to many for a column; limit a field of a table to some options; mandatory field, not null',
    de: 'ein Feld zum Pflichtfeld machen; Feld optional machen; mehrere Werte in einem Feld erlauben; Schlüsselfeld festlegen',
    fr: 'rendre un champ obligatoire; rendre un champ facultatif; autoriser plusieurs valeurs dans un champ; champ de la clé',
    es: 'hacer obligatorio un campo; hacer opcional un campo; permitir varios valores en un campo; campo de la clave',
  },
  reorder_entity_properties: {
    en: 'change the order of columns; which field comes first in the form; move a field up in a table; rearrange the fields of a record type',
    de: 'Reihenfolge der Spalten ändern; welches Feld zuerst kommt; Felder einer Tabelle sortieren',
    fr: "changer l'ordre des colonnes; quel champ vient en premier; réorganiser les champs d'une table",
    es: 'cambiar el orden de las columnas; qué campo va primero; reordenar los campos de una tabla',
  },
  detach_property: {
    en: 'remove a column from a table; take a field off work orders; customers no longer need this field; drop column; the table should not have this field any more',
    de: 'eine Spalte aus einer Tabelle entfernen; Feld von der Tabelle nehmen; Kunden brauchen dieses Feld nicht mehr',
    fr: "enlever une colonne d'une table; retirer un champ des commandes; ce champ n'est plus nécessaire dans la table",
    es: 'quitar una columna de una tabla; retirar un campo de las órdenes; la tabla ya no necesita este campo',
  },
  attach_child_entity: {
    en: 'records that stand under other records; line items under an order; a site has many machines; parent and child tables; one-to-many, master-detail relation; nest one table under another; hierarchy of tables',
    de: 'Tabelle unter eine andere stellen; Positionen unter einem Auftrag; Eltern-Kind-Beziehung zwischen Tabellen; ein Standort hat viele Maschinen',
    fr: 'mettre une table sous une autre; lignes sous une commande; relation parent enfant entre tables; un site a plusieurs machines',
    es: 'poner una tabla debajo de otra; líneas debajo de un pedido; relación padre hijo entre tablas; un sitio tiene muchas máquinas',
  },
  detach_child_entity: {
    en: 'end the parent and child relation of two tables; line items no longer belong under orders; remove one-to-many relation; un-nest a table',
    de: 'Eltern-Kind-Beziehung auflösen; Tabelle nicht mehr unter der anderen führen',
    fr: "supprimer la relation parent enfant; la table ne dépend plus de l'autre",
    es: 'quitar la relación padre hijo; la tabla ya no depende de la otra',
  },
  attach_peer_entity: {
    en: 'link two tables as equals; technicians and skills belong together; many-to-many relation; records refer to each other without one being the parent; declare peers; association between record types',
    de: 'zwei Tabellen gleichrangig verknüpfen; viele-zu-viele-Beziehung; Techniker und Fähigkeiten verbinden',
    fr: 'relier deux tables au même niveau; relation plusieurs à plusieurs; associer techniciens et compétences',
    es: 'relacionar dos tablas por igual; relación muchos a muchos; asociar técnicos y habilidades',
  },
  detach_peer_entity: {
    en: 'unlink two tables; end a many-to-many relation; the two record types no longer belong together; remove association',
    de: 'Verknüpfung zweier Tabellen aufheben; viele-zu-viele-Beziehung beenden',
    fr: 'supprimer le lien entre deux tables; mettre fin à une relation plusieurs à plusieurs',
    es: 'quitar el vínculo entre dos tablas; terminar una relación muchos a muchos',
  },
  list_entity_relationships: {
    en: 'how are the tables connected; which record types stand under this one; parents, children and peers; foreign keys of a table; relations and associations of an entity; entity relationship overview',
    de: 'wie hängen die Tabellen zusammen; Beziehungen einer Tabelle anzeigen; was steht unter dieser Tabelle',
    fr: "comment les tables sont-elles reliées; afficher les relations d'une table; ce qui dépend de cette table",
    es: 'cómo se relacionan las tablas; mostrar las relaciones de una tabla; qué cuelga de esta tabla',
  },
  set_entity_identity_bridge: {
    en: 'our technicians table holds people who are users; match records with user accounts by e-mail or phone; connect employee rows to log-ins; link records to platform users; identity mapping of an entity',
    de: 'Mitarbeiter-Datensätze mit Benutzerkonten verbinden; Datensätze über E-Mail Benutzern zuordnen',
    fr: 'relier les fiches des employés aux comptes; associer des enregistrements aux utilisateurs par e-mail',
    es: 'vincular los registros de empleados con cuentas; asociar registros con usuarios por correo',
  },
  list_identity_links: {
    en: 'which user belongs to which technician record; show matched people and accounts; records linked to users; who is behind these records; resolved identities',
    de: 'welcher Benutzer gehört zu welchem Datensatz; verknüpfte Personen und Konten anzeigen',
    fr: 'quel utilisateur correspond à quelle fiche; afficher les fiches liées à des comptes',
    es: 'qué usuario corresponde a cada registro; mostrar registros vinculados a cuentas',
  },
}
