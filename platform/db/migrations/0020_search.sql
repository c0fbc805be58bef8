-- What texts are compared by in a search: small letters without accents, each character in one of its forms. Roles of tenants call it, so it stands in a
-- schema of its own. It stays as it is for ever, since indexes may hold what it answered; another way to fold is another function. A search path of its
-- own would double what a call costs.
create schema search;
grant usage on schema search to public;

create function search.folded(given text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(given) = length(given) then
    return lower(given);
  end if;
  return normalize(
    translate(replace(regexp_replace(normalize(lower(given), NFKD), '[\u0300-\u036f]+', '', 'g'), 'ß', 'ss'), 'øłđħıŧŋ', 'oldhitn'),
    NFKC
  );
end $$;
