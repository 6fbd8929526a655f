"""What reports of every command share: JUnit XML, and the frame of self-contained HTML pages."""
