PRAGMA application_id = 0;
PRAGMA user_version = 0;
BEGIN TRANSACTION;
CREATE TABLE accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL);
INSERT INTO "accounts" VALUES('table-1/house',-2000000);
INSERT INTO "accounts" VALUES('table-1/meter progressive/main',1000075);
INSERT INTO "accounts" VALUES('table-1/meter five-card/main',1000300);
INSERT INTO "accounts" VALUES('table-1/seat 2',-2000);
INSERT INTO "accounts" VALUES('table-1/layout 2',0);
INSERT INTO "accounts" VALUES('table-1/seat 4',-1800);
INSERT INTO "accounts" VALUES('table-1/layout 4',0);
INSERT INTO "accounts" VALUES('table-1/tray',9125);
INSERT INTO "accounts" VALUES('table-1/seat 3',-5700);
INSERT INTO "accounts" VALUES('table-1/layout 3',0);
CREATE TABLE inputs (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0, UNIQUE (round, key));
INSERT INTO "inputs" VALUES(1,1,'wager:2','wager','{"seat": 2, "amounts": {"ante": 5000, "bonus": 500, "progressive": 0, "five-card bonus": 0, "five-card bonus on the dealer": 100, "cover all": 500}, "bettor": 1, "player": ""}',0);
INSERT INTO "inputs" VALUES(2,1,'wager:4','wager','{"seat": 4, "amounts": {"ante": 1000, "bonus": 300, "progressive": 100, "five-card bonus": 100, "five-card bonus on the dealer": 0, "cover all": 300}, "bettor": 1, "player": ""}',0);
INSERT INTO "inputs" VALUES(3,1,'closed','closed','{"round": 1}',13);
INSERT INTO "inputs" VALUES(4,1,'count:0:chips.1','count','{"seat": 0, "part": "chips.1", "count": 1}',0);
INSERT INTO "inputs" VALUES(5,1,'progressive:1:1','progressive','{"wagers": 1, "chips": 1, "taken": true}',0);
INSERT INTO "inputs" VALUES(6,1,'cover all','cover all','{"column": 3}',32);
INSERT INTO "inputs" VALUES(7,1,'decide:2:','decide','{"seat": 2, "part": "", "choice": "raise"}',0);
INSERT INTO "inputs" VALUES(8,1,'decide:4:','decide','{"seat": 4, "part": "", "choice": "fold"}',0);
INSERT INTO "inputs" VALUES(9,1,'cards:4:','cards','{"seat": 4, "part": "", "cards": [38, 19, 3, 7, 35], "source": "plant"}',0);
INSERT INTO "inputs" VALUES(10,1,'cards:0:','cards','{"seat": 0, "part": "", "cards": [20, 31, 33, 41, 27], "source": "plant"}',0);
INSERT INTO "inputs" VALUES(11,1,'cards:2:','cards','{"seat": 2, "part": "", "cards": [30, 16, 29, 34, 11], "source": "plant"}',0);
INSERT INTO "inputs" VALUES(12,1,'over','over','{}',39);
INSERT INTO "inputs" VALUES(13,2,'wager:2','wager','{"seat": 2, "amounts": {"ante": 5000, "bonus": 400, "progressive": 0, "five-card bonus": 0, "five-card bonus on the dealer": 100, "cover all": 400}, "bettor": 1, "player": ""}',0);
INSERT INTO "inputs" VALUES(14,2,'wager:3','wager','{"seat": 3, "amounts": {"ante": 5000, "bonus": 300, "progressive": 0, "five-card bonus": 0, "five-card bonus on the dealer": 100, "cover all": 300}, "bettor": 1, "player": ""}',0);
INSERT INTO "inputs" VALUES(15,2,'closed','closed','{"round": 2}',50);
INSERT INTO "inputs" VALUES(16,2,'progressive:0:0','progressive','{"wagers": 0, "chips": 0, "taken": true}',0);
INSERT INTO "inputs" VALUES(17,2,'cover all','cover all','{"column": 3}',69);
INSERT INTO "inputs" VALUES(18,2,'decide:2:','decide','{"seat": 2, "part": "", "choice": "fold"}',0);
INSERT INTO "inputs" VALUES(19,2,'decide:3:','decide','{"seat": 3, "part": "", "choice": "fold"}',0);
INSERT INTO "inputs" VALUES(20,2,'cards:0:','cards','{"seat": 0, "part": "", "cards": [26, 4, 24, 37, 18], "source": "plant"}',0);
INSERT INTO "inputs" VALUES(21,2,'over','over','{}',76);
CREATE TABLE lines (
    round INTEGER NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, line TEXT NOT NULL, cause INTEGER NOT NULL,
    PRIMARY KEY (round, key, version));
INSERT INTO "lines" VALUES(1,'4/0/0/ante/',1,'{"seat": 4, "wager": "ante", "outcome": "lose", "stake": 1000, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',8);
INSERT INTO "lines" VALUES(1,'4/0/0/bonus/',1,'{"seat": 4, "wager": "bonus", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',8);
INSERT INTO "lines" VALUES(1,'4/0/0/progressive/',1,'{"seat": 4, "wager": "progressive", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',8);
INSERT INTO "lines" VALUES(1,'4/0/0/five-card bonus/',1,'{"seat": 4, "wager": "five-card bonus", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "high card", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(1,'2/0/0/ante/',1,'{"seat": 2, "wager": "ante", "outcome": "win", "stake": 5000, "returned": 5000, "paid": 5000, "clause": "CS 10(c)(3)(i), 11(a)", "why": "dealer has queen-10 high, 1 to 1", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(1,'2/0/0/bet/',1,'{"seat": 2, "wager": "bet", "outcome": "returned", "stake": 10000, "returned": 10000, "paid": 0, "clause": "CS 10(c)(3)(i)", "why": "dealer has queen-10 high", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(1,'2/0/0/bonus/',1,'{"seat": 2, "wager": "bonus", "outcome": "lose", "stake": 500, "returned": 0, "paid": 0, "clause": "CS 11(c)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(1,'2/0/0/five-card bonus on the dealer/',1,'{"seat": 2, "wager": "five-card bonus on the dealer", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "high card", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(1,'4/0/0/cover all/',1,'{"seat": 4, "wager": "cover all", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(1,'2/0/0/cover all/',1,'{"seat": 2, "wager": "cover all", "outcome": "lose", "stake": 500, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',11);
INSERT INTO "lines" VALUES(2,'2/0/0/ante/',1,'{"seat": 2, "wager": "ante", "outcome": "lose", "stake": 5000, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',18);
INSERT INTO "lines" VALUES(2,'2/0/0/bonus/',1,'{"seat": 2, "wager": "bonus", "outcome": "lose", "stake": 400, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',18);
INSERT INTO "lines" VALUES(2,'3/0/0/ante/',1,'{"seat": 3, "wager": "ante", "outcome": "lose", "stake": 5000, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',19);
INSERT INTO "lines" VALUES(2,'3/0/0/bonus/',1,'{"seat": 3, "wager": "bonus", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',19);
INSERT INTO "lines" VALUES(2,'3/0/0/five-card bonus on the dealer/',1,'{"seat": 3, "wager": "five-card bonus on the dealer", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "pair", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',20);
INSERT INTO "lines" VALUES(2,'2/0/0/five-card bonus on the dealer/',1,'{"seat": 2, "wager": "five-card bonus on the dealer", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "pair", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',20);
INSERT INTO "lines" VALUES(2,'3/0/0/cover all/',1,'{"seat": 3, "wager": "cover all", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',20);
INSERT INTO "lines" VALUES(2,'2/0/0/cover all/',1,'{"seat": 2, "wager": "cover all", "outcome": "lose", "stake": 400, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',20);
CREATE TABLE links (
    link TEXT NOT NULL, tbl TEXT NOT NULL PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE meters (
    link TEXT NOT NULL, pool TEXT NOT NULL, name TEXT NOT NULL, cents INTEGER NOT NULL, seed INTEGER NOT NULL,
    rate INTEGER NOT NULL, carry INTEGER NOT NULL, PRIMARY KEY (link, pool, name));
INSERT INTO "meters" VALUES('table-1','progressive','main',1000075,1000000,7500,0);
INSERT INTO "meters" VALUES('table-1','five-card','main',1000300,1000000,7500,0);
CREATE TABLE rounds (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, game TEXT NOT NULL, shoe_round INTEGER, over INTEGER NOT NULL DEFAULT 0,
    progressive INTEGER NOT NULL DEFAULT 0, five_card INTEGER NOT NULL DEFAULT 0);
INSERT INTO "rounds" VALUES(1,'table-1','caribbean-stud',NULL,1,100,200);
INSERT INTO "rounds" VALUES(2,'table-1','caribbean-stud',NULL,1,0,200);
CREATE TABLE transfers (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, cause INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    cents INTEGER NOT NULL);
INSERT INTO "transfers" VALUES(1,0,0,'table-1/house','table-1/meter progressive/main',1000000);
INSERT INTO "transfers" VALUES(2,0,0,'table-1/house','table-1/meter five-card/main',1000000);
INSERT INTO "transfers" VALUES(3,1,1,'table-1/seat 2','table-1/layout 2',5000);
INSERT INTO "transfers" VALUES(4,1,1,'table-1/seat 2','table-1/layout 2',500);
INSERT INTO "transfers" VALUES(5,1,1,'table-1/seat 2','table-1/layout 2',100);
INSERT INTO "transfers" VALUES(6,1,1,'table-1/seat 2','table-1/layout 2',500);
INSERT INTO "transfers" VALUES(7,1,2,'table-1/seat 4','table-1/layout 4',1000);
INSERT INTO "transfers" VALUES(8,1,2,'table-1/seat 4','table-1/layout 4',300);
INSERT INTO "transfers" VALUES(9,1,2,'table-1/seat 4','table-1/layout 4',100);
INSERT INTO "transfers" VALUES(10,1,2,'table-1/seat 4','table-1/layout 4',100);
INSERT INTO "transfers" VALUES(11,1,2,'table-1/seat 4','table-1/layout 4',300);
INSERT INTO "transfers" VALUES(12,1,3,'table-1/tray','table-1/meter progressive/main',75);
INSERT INTO "transfers" VALUES(13,1,3,'table-1/tray','table-1/meter five-card/main',150);
INSERT INTO "transfers" VALUES(14,1,7,'table-1/seat 2','table-1/layout 2',10000);
INSERT INTO "transfers" VALUES(15,1,8,'table-1/layout 4','table-1/tray',1000);
INSERT INTO "transfers" VALUES(16,1,8,'table-1/layout 4','table-1/tray',300);
INSERT INTO "transfers" VALUES(17,1,8,'table-1/layout 4','table-1/tray',100);
INSERT INTO "transfers" VALUES(18,1,11,'table-1/layout 4','table-1/tray',100);
INSERT INTO "transfers" VALUES(19,1,11,'table-1/layout 2','table-1/seat 2',5000);
INSERT INTO "transfers" VALUES(20,1,11,'table-1/tray','table-1/seat 2',5000);
INSERT INTO "transfers" VALUES(21,1,11,'table-1/layout 2','table-1/seat 2',10000);
INSERT INTO "transfers" VALUES(22,1,11,'table-1/layout 2','table-1/tray',500);
INSERT INTO "transfers" VALUES(23,1,11,'table-1/layout 2','table-1/tray',100);
INSERT INTO "transfers" VALUES(24,1,11,'table-1/layout 4','table-1/tray',300);
INSERT INTO "transfers" VALUES(25,1,11,'table-1/layout 2','table-1/tray',500);
INSERT INTO "transfers" VALUES(26,2,13,'table-1/seat 2','table-1/layout 2',5000);
INSERT INTO "transfers" VALUES(27,2,13,'table-1/seat 2','table-1/layout 2',400);
INSERT INTO "transfers" VALUES(28,2,13,'table-1/seat 2','table-1/layout 2',100);
INSERT INTO "transfers" VALUES(29,2,13,'table-1/seat 2','table-1/layout 2',400);
INSERT INTO "transfers" VALUES(30,2,14,'table-1/seat 3','table-1/layout 3',5000);
INSERT INTO "transfers" VALUES(31,2,14,'table-1/seat 3','table-1/layout 3',300);
INSERT INTO "transfers" VALUES(32,2,14,'table-1/seat 3','table-1/layout 3',100);
INSERT INTO "transfers" VALUES(33,2,14,'table-1/seat 3','table-1/layout 3',300);
INSERT INTO "transfers" VALUES(34,2,15,'table-1/tray','table-1/meter five-card/main',150);
INSERT INTO "transfers" VALUES(35,2,18,'table-1/layout 2','table-1/tray',5000);
INSERT INTO "transfers" VALUES(36,2,18,'table-1/layout 2','table-1/tray',400);
INSERT INTO "transfers" VALUES(37,2,19,'table-1/layout 3','table-1/tray',5000);
INSERT INTO "transfers" VALUES(38,2,19,'table-1/layout 3','table-1/tray',300);
INSERT INTO "transfers" VALUES(39,2,20,'table-1/layout 3','table-1/tray',100);
INSERT INTO "transfers" VALUES(40,2,20,'table-1/layout 2','table-1/tray',100);
INSERT INTO "transfers" VALUES(41,2,20,'table-1/layout 3','table-1/tray',300);
INSERT INTO "transfers" VALUES(42,2,20,'table-1/layout 2','table-1/tray',400);
CREATE UNIQUE INDEX one_open_round ON rounds (tbl) WHERE over = 0;
COMMIT;
