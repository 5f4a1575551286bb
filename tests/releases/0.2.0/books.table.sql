PRAGMA application_id = 0;
PRAGMA user_version = 2;
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
CREATE TABLE contributions (
    round INTEGER NOT NULL, pool TEXT NOT NULL, stake INTEGER NOT NULL, PRIMARY KEY (round, pool));
INSERT INTO "contributions" VALUES(1,'progressive',100);
INSERT INTO "contributions" VALUES(1,'five-card',200);
INSERT INTO "contributions" VALUES(2,'five-card',200);
CREATE TABLE inputs (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0, utc TEXT NOT NULL DEFAULT 'unknown', shift INTEGER NOT NULL DEFAULT 0, UNIQUE (round, key));
INSERT INTO "inputs" VALUES(1,1,'wager:2','wager','{"seat": 2, "amounts": {"ante": 5000, "bonus": 500, "progressive": 0, "five-card bonus": 0, "five-card bonus on the dealer": 100, "cover all": 500}, "bettor": 1, "player": ""}',0,'2026-11-18T09:23:13.268Z',0);
INSERT INTO "inputs" VALUES(2,1,'wager:4','wager','{"seat": 4, "amounts": {"ante": 1000, "bonus": 300, "progressive": 100, "five-card bonus": 100, "five-card bonus on the dealer": 0, "cover all": 300}, "bettor": 1, "player": ""}',0,'2026-11-18T09:23:13.269Z',0);
INSERT INTO "inputs" VALUES(3,1,'closed','closed','{"round": 1, "device": "00510003", "log": "63d1329b661400532a3f33fdf176a137"}',13,'2026-11-18T09:23:13.293Z',0);
INSERT INTO "inputs" VALUES(4,1,'count:0:chips.1','count','{"seat": 0, "part": "chips.1", "count": 1}',0,'2026-11-18T09:23:13.296Z',0);
INSERT INTO "inputs" VALUES(5,1,'progressive:1:1','progressive','{"wagers": 1, "chips": 1, "taken": true}',0,'2026-11-18T09:23:13.300Z',0);
INSERT INTO "inputs" VALUES(6,1,'cover all','cover all','{"column": 3}',32,'2026-11-18T09:23:13.380Z',0);
INSERT INTO "inputs" VALUES(7,1,'cards:0:up','cards','{"seat": 0, "part": "up", "cards": [20], "source": "plant"}',0,'2026-11-18T09:23:13.388Z',0);
INSERT INTO "inputs" VALUES(8,1,'decide:2:','decide','{"seat": 2, "part": "", "choice": "raise"}',0,'2026-11-18T09:23:13.389Z',0);
INSERT INTO "inputs" VALUES(9,1,'decide:4:','decide','{"seat": 4, "part": "", "choice": "fold"}',0,'2026-11-18T09:23:13.391Z',0);
INSERT INTO "inputs" VALUES(10,1,'cards:4:','cards','{"seat": 4, "part": "", "cards": [38, 19, 3, 7, 35], "source": "plant"}',0,'2026-11-18T09:23:13.394Z',0);
INSERT INTO "inputs" VALUES(11,1,'cards:0:','cards','{"seat": 0, "part": "", "cards": [20, 31, 33, 41, 27], "source": "plant"}',0,'2026-11-18T09:23:13.396Z',0);
INSERT INTO "inputs" VALUES(12,1,'cards:2:','cards','{"seat": 2, "part": "", "cards": [30, 16, 29, 34, 11], "source": "plant"}',0,'2026-11-18T09:23:13.398Z',0);
INSERT INTO "inputs" VALUES(13,1,'over','over','{}',39,'2026-11-18T09:23:13.463Z',0);
INSERT INTO "inputs" VALUES(14,2,'wager:2','wager','{"seat": 2, "amounts": {"ante": 5000, "bonus": 400, "progressive": 0, "five-card bonus": 0, "five-card bonus on the dealer": 100, "cover all": 400}, "bettor": 1, "player": ""}',0,'2026-11-18T09:23:13.538Z',0);
INSERT INTO "inputs" VALUES(15,2,'wager:3','wager','{"seat": 3, "amounts": {"ante": 5000, "bonus": 300, "progressive": 0, "five-card bonus": 0, "five-card bonus on the dealer": 100, "cover all": 300}, "bettor": 1, "player": ""}',0,'2026-11-18T09:23:13.539Z',0);
INSERT INTO "inputs" VALUES(16,2,'closed','closed','{"round": 2, "device": "00510003", "log": "63d1329b661400532a3f33fdf176a137"}',50,'2026-11-18T09:23:13.551Z',0);
INSERT INTO "inputs" VALUES(17,2,'progressive:0:0','progressive','{"wagers": 0, "chips": 0, "taken": true}',0,'2026-11-18T09:23:13.556Z',0);
INSERT INTO "inputs" VALUES(18,2,'cover all','cover all','{"column": 3}',69,'2026-11-18T09:23:13.620Z',0);
INSERT INTO "inputs" VALUES(19,2,'cards:0:up','cards','{"seat": 0, "part": "up", "cards": [26], "source": "plant"}',0,'2026-11-18T09:23:13.636Z',0);
INSERT INTO "inputs" VALUES(20,2,'decide:2:','decide','{"seat": 2, "part": "", "choice": "fold"}',0,'2026-11-18T09:23:13.640Z',0);
INSERT INTO "inputs" VALUES(21,2,'decide:3:','decide','{"seat": 3, "part": "", "choice": "fold"}',0,'2026-11-18T09:23:13.643Z',0);
INSERT INTO "inputs" VALUES(22,2,'cards:0:','cards','{"seat": 0, "part": "", "cards": [26, 4, 24, 37, 18], "source": "plant"}',0,'2026-11-18T09:23:13.651Z',0);
INSERT INTO "inputs" VALUES(23,2,'over','over','{}',76,'2026-11-18T09:23:13.693Z',0);
CREATE TABLE lines (
    round INTEGER NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, line TEXT NOT NULL, cause INTEGER NOT NULL,
    PRIMARY KEY (round, key, version));
INSERT INTO "lines" VALUES(1,'4/0/0/ante/',1,'{"seat": 4, "wager": "ante", "outcome": "lose", "stake": 1000, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',9);
INSERT INTO "lines" VALUES(1,'4/0/0/bonus/',1,'{"seat": 4, "wager": "bonus", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',9);
INSERT INTO "lines" VALUES(1,'4/0/0/progressive/',1,'{"seat": 4, "wager": "progressive", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',9);
INSERT INTO "lines" VALUES(1,'4/0/0/five-card bonus/',1,'{"seat": 4, "wager": "five-card bonus", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "high card", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(1,'2/0/0/ante/',1,'{"seat": 2, "wager": "ante", "outcome": "win", "stake": 5000, "returned": 5000, "paid": 5000, "clause": "CS 10(c)(3)(i), 11(a)", "why": "dealer has queen-10 high, 1 to 1", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(1,'2/0/0/bet/',1,'{"seat": 2, "wager": "bet", "outcome": "returned", "stake": 10000, "returned": 10000, "paid": 0, "clause": "CS 10(c)(3)(i)", "why": "dealer has queen-10 high", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(1,'2/0/0/bonus/',1,'{"seat": 2, "wager": "bonus", "outcome": "lose", "stake": 500, "returned": 0, "paid": 0, "clause": "CS 11(c)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(1,'2/0/0/five-card bonus on the dealer/',1,'{"seat": 2, "wager": "five-card bonus on the dealer", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "high card", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(1,'4/0/0/cover all/',1,'{"seat": 4, "wager": "cover all", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(1,'2/0/0/cover all/',1,'{"seat": 2, "wager": "cover all", "outcome": "lose", "stake": 500, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',12);
INSERT INTO "lines" VALUES(2,'2/0/0/ante/',1,'{"seat": 2, "wager": "ante", "outcome": "lose", "stake": 5000, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',20);
INSERT INTO "lines" VALUES(2,'2/0/0/bonus/',1,'{"seat": 2, "wager": "bonus", "outcome": "lose", "stake": 400, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',20);
INSERT INTO "lines" VALUES(2,'3/0/0/ante/',1,'{"seat": 3, "wager": "ante", "outcome": "lose", "stake": 5000, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',21);
INSERT INTO "lines" VALUES(2,'3/0/0/bonus/',1,'{"seat": 3, "wager": "bonus", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 10(b)", "why": "fold", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',21);
INSERT INTO "lines" VALUES(2,'3/0/0/five-card bonus on the dealer/',1,'{"seat": 3, "wager": "five-card bonus on the dealer", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "pair", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',22);
INSERT INTO "lines" VALUES(2,'2/0/0/five-card bonus on the dealer/',1,'{"seat": 2, "wager": "five-card bonus on the dealer", "outcome": "lose", "stake": 100, "returned": 0, "paid": 0, "clause": "CS 11(e)(1)", "why": "pair", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',22);
INSERT INTO "lines" VALUES(2,'3/0/0/cover all/',1,'{"seat": 3, "wager": "cover all", "outcome": "lose", "stake": 300, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',22);
INSERT INTO "lines" VALUES(2,'2/0/0/cover all/',1,'{"seat": 2, "wager": "cover all", "outcome": "lose", "stake": 400, "returned": 0, "paid": 0, "clause": "CS 12(k)", "why": "no winning hand", "source": "tray", "hand": 0, "bettor": 0, "extra": "", "reset": 0, "credited": false}',22);
CREATE TABLE links (link TEXT NOT NULL, tbl TEXT NOT NULL PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE meters (
    link TEXT NOT NULL, pool TEXT NOT NULL, name TEXT NOT NULL, cents INTEGER NOT NULL, seed INTEGER NOT NULL,
    rate INTEGER NOT NULL, carry INTEGER NOT NULL, owed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (link, pool, name));
INSERT INTO "meters" VALUES('table-1','progressive','main',1000075,1000000,7500,0,0);
INSERT INTO "meters" VALUES('table-1','five-card','main',1000300,1000000,7500,0,0);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, text TEXT NOT NULL, by TEXT NOT NULL, utc TEXT NOT NULL);
CREATE TABLE rack (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, shift INTEGER NOT NULL, kind TEXT NOT NULL, cents INTEGER NOT NULL,
    key TEXT NOT NULL, note TEXT NOT NULL, by TEXT NOT NULL, utc TEXT NOT NULL, UNIQUE (tbl, key));
CREATE TABLE rounds (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, game TEXT NOT NULL, shoe_round INTEGER,
    over INTEGER NOT NULL DEFAULT 0, device TEXT NOT NULL DEFAULT 'unknown', log TEXT NOT NULL DEFAULT 'unknown', settings TEXT NOT NULL DEFAULT 'unknown', program TEXT NOT NULL DEFAULT 'unknown', package TEXT NOT NULL DEFAULT 'unknown', began TEXT NOT NULL DEFAULT 'unknown');
INSERT INTO "rounds" VALUES(1,'table-1','caribbean-stud',1,1,'00510003','63d1329b661400532a3f33fdf176a137','6a63485253ddf9cd5e3ee2db804a0e019301e1b70bbb810e4c42776a2263cfd9','0.2.0','','2026-11-18T09:23:13.125Z');
INSERT INTO "rounds" VALUES(2,'table-1','caribbean-stud',2,1,'00510003','63d1329b661400532a3f33fdf176a137','6a63485253ddf9cd5e3ee2db804a0e019301e1b70bbb810e4c42776a2263cfd9','0.2.0','','2026-11-18T09:23:13.466Z');
CREATE TABLE settings (hash TEXT PRIMARY KEY, data TEXT NOT NULL);
INSERT INTO "settings" VALUES('6a63485253ddf9cd5e3ee2db804a0e019301e1b70bbb810e4c42776a2263cfd9','{"game": "caribbean-stud", "options": {"approvals": {"bonus_pays": "demonstration", "cover_all": "demonstration", "five_card": "demonstration", "progressive_pays": "demonstration"}, "bonus_pays": {"pay_table": {"approval": "", "clause": "CS 11(c)", "envy": [], "minimum": false, "name": "CS-11c-A", "rows": [["Royal flush", "To", {"per": 1, "wins": 1000}], ["Straight flush", "To", {"per": 1, "wins": 200}], ["Four-of-a-kind", "To", {"per": 1, "wins": 100}], ["Full house", "To", {"per": 1, "wins": 50}], ["Flush", "To", {"per": 1, "wins": 40}], ["Straight", "To", {"per": 1, "wins": 25}], ["Three-of-a-kind", "To", {"per": 1, "wins": 7}], ["Two pair", "To", {"per": 1, "wins": 3}], ["A pair of 10s or better", "To", {"per": 1, "wins": 1}]], "seeds": []}}, "cap": 0, "chip": 100, "coupons": [], "cover_all": "with_dealer", "cover_all_counts_folded": false, "five_card": true, "linked": false, "make_up": "house", "maximum": 100000, "minimum": 1000, "progressive_pays": {"pay_table": {"approval": "", "clause": "CS 11(d)", "envy": [["ROYAL_FLUSH", 100000], ["STRAIGHT_FLUSH", 30000]], "minimum": false, "name": "CS-11d-D", "rows": [["Royal flush", "OfMeter", {"meter": "main", "percent": 100}], ["Straight flush", "OfMeter", {"meter": "main", "percent": 10}], ["Four-of-a-kind", "For", {"wins": 300}], ["Full house", "For", {"wins": 50}], ["Flush", "For", {"wins": 40}], ["Straight", "For", {"wins": 30}], ["Three-of-a-kind", "For", {"wins": 9}], ["Two pair", "Lose", {}]], "seeds": []}}, "progressive_wager": 100, "rounding": {"Rounding": "player"}, "side_limits": {}}}');
CREATE TABLE transfers (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, cause INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    cents INTEGER NOT NULL, utc TEXT NOT NULL DEFAULT 'unknown');
INSERT INTO "transfers" VALUES(1,0,0,'table-1/house','table-1/meter progressive/main',1000000,'2026-11-18T09:23:13.122Z');
INSERT INTO "transfers" VALUES(2,0,0,'table-1/house','table-1/meter five-card/main',1000000,'2026-11-18T09:23:13.123Z');
INSERT INTO "transfers" VALUES(3,1,1,'table-1/seat 2','table-1/layout 2',5000,'2026-11-18T09:23:13.268Z');
INSERT INTO "transfers" VALUES(4,1,1,'table-1/seat 2','table-1/layout 2',500,'2026-11-18T09:23:13.268Z');
INSERT INTO "transfers" VALUES(5,1,1,'table-1/seat 2','table-1/layout 2',100,'2026-11-18T09:23:13.268Z');
INSERT INTO "transfers" VALUES(6,1,1,'table-1/seat 2','table-1/layout 2',500,'2026-11-18T09:23:13.268Z');
INSERT INTO "transfers" VALUES(7,1,2,'table-1/seat 4','table-1/layout 4',1000,'2026-11-18T09:23:13.269Z');
INSERT INTO "transfers" VALUES(8,1,2,'table-1/seat 4','table-1/layout 4',300,'2026-11-18T09:23:13.269Z');
INSERT INTO "transfers" VALUES(9,1,2,'table-1/seat 4','table-1/layout 4',100,'2026-11-18T09:23:13.269Z');
INSERT INTO "transfers" VALUES(10,1,2,'table-1/seat 4','table-1/layout 4',100,'2026-11-18T09:23:13.269Z');
INSERT INTO "transfers" VALUES(11,1,2,'table-1/seat 4','table-1/layout 4',300,'2026-11-18T09:23:13.269Z');
INSERT INTO "transfers" VALUES(12,1,8,'table-1/seat 2','table-1/layout 2',10000,'2026-11-18T09:23:13.389Z');
INSERT INTO "transfers" VALUES(13,1,9,'table-1/layout 4','table-1/tray',1000,'2026-11-18T09:23:13.392Z');
INSERT INTO "transfers" VALUES(14,1,9,'table-1/layout 4','table-1/tray',300,'2026-11-18T09:23:13.392Z');
INSERT INTO "transfers" VALUES(15,1,9,'table-1/layout 4','table-1/tray',100,'2026-11-18T09:23:13.392Z');
INSERT INTO "transfers" VALUES(16,1,11,'table-1/tray','table-1/meter progressive/main',75,'2026-11-18T09:23:13.396Z');
INSERT INTO "transfers" VALUES(17,1,11,'table-1/tray','table-1/meter five-card/main',150,'2026-11-18T09:23:13.396Z');
INSERT INTO "transfers" VALUES(18,1,12,'table-1/layout 4','table-1/tray',100,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(19,1,12,'table-1/layout 2','table-1/seat 2',5000,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(20,1,12,'table-1/tray','table-1/seat 2',5000,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(21,1,12,'table-1/layout 2','table-1/seat 2',10000,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(22,1,12,'table-1/layout 2','table-1/tray',500,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(23,1,12,'table-1/layout 2','table-1/tray',100,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(24,1,12,'table-1/layout 4','table-1/tray',300,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(25,1,12,'table-1/layout 2','table-1/tray',500,'2026-11-18T09:23:13.451Z');
INSERT INTO "transfers" VALUES(26,2,14,'table-1/seat 2','table-1/layout 2',5000,'2026-11-18T09:23:13.538Z');
INSERT INTO "transfers" VALUES(27,2,14,'table-1/seat 2','table-1/layout 2',400,'2026-11-18T09:23:13.538Z');
INSERT INTO "transfers" VALUES(28,2,14,'table-1/seat 2','table-1/layout 2',100,'2026-11-18T09:23:13.538Z');
INSERT INTO "transfers" VALUES(29,2,14,'table-1/seat 2','table-1/layout 2',400,'2026-11-18T09:23:13.538Z');
INSERT INTO "transfers" VALUES(30,2,15,'table-1/seat 3','table-1/layout 3',5000,'2026-11-18T09:23:13.539Z');
INSERT INTO "transfers" VALUES(31,2,15,'table-1/seat 3','table-1/layout 3',300,'2026-11-18T09:23:13.539Z');
INSERT INTO "transfers" VALUES(32,2,15,'table-1/seat 3','table-1/layout 3',100,'2026-11-18T09:23:13.539Z');
INSERT INTO "transfers" VALUES(33,2,15,'table-1/seat 3','table-1/layout 3',300,'2026-11-18T09:23:13.539Z');
INSERT INTO "transfers" VALUES(34,2,20,'table-1/layout 2','table-1/tray',5000,'2026-11-18T09:23:13.640Z');
INSERT INTO "transfers" VALUES(35,2,20,'table-1/layout 2','table-1/tray',400,'2026-11-18T09:23:13.640Z');
INSERT INTO "transfers" VALUES(36,2,21,'table-1/layout 3','table-1/tray',5000,'2026-11-18T09:23:13.644Z');
INSERT INTO "transfers" VALUES(37,2,21,'table-1/layout 3','table-1/tray',300,'2026-11-18T09:23:13.644Z');
INSERT INTO "transfers" VALUES(38,2,22,'table-1/tray','table-1/meter five-card/main',150,'2026-11-18T09:23:13.652Z');
INSERT INTO "transfers" VALUES(39,2,22,'table-1/layout 3','table-1/tray',100,'2026-11-18T09:23:13.652Z');
INSERT INTO "transfers" VALUES(40,2,22,'table-1/layout 2','table-1/tray',100,'2026-11-18T09:23:13.652Z');
INSERT INTO "transfers" VALUES(41,2,22,'table-1/layout 3','table-1/tray',300,'2026-11-18T09:23:13.652Z');
INSERT INTO "transfers" VALUES(42,2,22,'table-1/layout 2','table-1/tray',400,'2026-11-18T09:23:13.652Z');
CREATE UNIQUE INDEX one_open_round ON rounds (tbl) WHERE over = 0;
COMMIT;
