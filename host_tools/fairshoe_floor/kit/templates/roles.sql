-- Once, by the administrator of PostgreSQL: psql -f roles.sql. No password is in here: the verifiers are of passwords in
-- the files *.env. Then: fairshoe floor migrate, with migrator.env; it gives the roles their rights.
$roles
CREATE DATABASE $database OWNER fairshoe_migrator;
REVOKE ALL ON DATABASE $database FROM PUBLIC;
GRANT CONNECT ON DATABASE $database TO fairshoe_writer, fairshoe_desk, fairshoe_reader;
\connect $database
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
